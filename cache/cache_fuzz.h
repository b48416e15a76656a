// What the fuzzers run, and the tests over their corpora. Each ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::cache {

void fuzz_assembler(std::string_view input);
void fuzz_manifest(std::string_view input);
void fuzz_stored_value(std::string_view input);

}  // namespace tessera::cache
