// What the fuzzer of message heads runs, and the tests over its corpus.
#pragma once

#include <string_view>

namespace tessera::http {

// Aborts when a promise is broken.
void fuzz_heads(std::string_view bytes);

}  // namespace tessera::http
