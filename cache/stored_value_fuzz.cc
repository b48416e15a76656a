// Reads any bytes as a stored value, with the checksum put right first so that what lies behind it is
// reached. What reads back must come out the same when it is written again.
#include <cstdlib>

#include <xxhash.h>

#include "cache/cache_fuzz.h"
#include "cache/stored_value.h"

namespace tessera::cache {
namespace {

constexpr std::string_view kKey = "7:tessera1:11:f";
constexpr std::size_t kChecksumOffset = 6;
constexpr std::size_t kHeadSize = 14;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string sealed(std::string value) {
  if (value.size() < kHeadSize) return value;
  const std::uint64_t of_key = XXH3_64bits(kKey.data(), kKey.size());
  std::uint64_t seal = XXH3_64bits_withSeed(value.data() + kHeadSize, value.size() - kHeadSize, of_key);
  for (std::size_t i = kChecksumOffset; i < kHeadSize; ++i, seal >>= 8U)
    value[i] = static_cast<char>(seal & 0xFFU);
  return value;
}

}  // namespace

void fuzz_stored_value(std::string_view input) {
  const json::Id id{false, "1"};
  static_cast<void>(decode_fragment(kKey, input, id));
  const std::string value = sealed(std::string(input));
  const auto fragment = decode_fragment(kKey, value, id);
  if (fragment.has_value()) require(encode_fragment(kKey, *fragment->fragment, fragment->vary) == value);
  const auto envelopes = decode_envelopes(kKey, value);
  if (envelopes.has_value()) require(encode_envelopes(kKey, *envelopes) == value);
}

}  // namespace tessera::cache

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tessera::cache::fuzz_stored_value({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
