// What the fuzzer runs, and the tests over its corpus. Ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::json {

// Decodes any bytes; the first one chooses the codec: 0 is YAML, 1 JSON, 2 MessagePack, as digits too.
void fuzz_codecs(std::string_view input);

}  // namespace tessera::json
