// What the fuzzer of the chunked coding runs, and the tests over its corpus.
#pragma once

#include <string_view>

namespace tessera::http {

// The first byte says in what pieces the others arrive. Aborts when a promise is broken.
void fuzz_chunked(std::string_view input);

}  // namespace tessera::http
