// Any bytes as an encoded body: never more output than allowed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/content_coding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLimit = 100'000;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto decoded = tessera::http::decode_gzip(bytes, kLimit);
  if (decoded && decoded->size() > kLimit) std::abort();
  return 0;
}
