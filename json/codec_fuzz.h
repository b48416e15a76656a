// What the fuzzers run, and the tests over their corpora. Each ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::json {

// Decodes any bytes; whatever is taken comes back equal from all codecs.
void fuzz_yaml_decoder(std::string_view input);
void fuzz_json_decoder(std::string_view input);
void fuzz_msgpack_decoder(std::string_view input);

}  // namespace tessera::json
