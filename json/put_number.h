// Numbers as JSON writes them (RFC 8259 section 6): the same number is read back.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tessera::json {

#ifdef __SIZEOF_INT128__
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;
#endif

// What the longest number needs: 2^127 with its sign.
inline constexpr std::size_t kNumberRoom = 40;

// Each writes to `out`, which has kNumberRoom bytes, and returns the end.
char* put_number(char* out, std::int64_t value);
char* put_number(char* out, std::uint64_t value);
#ifdef __SIZEOF_INT128__
char* put_number(char* out, Int128 value);
char* put_number(char* out, UInt128 value);
#endif

// The shortest digits that read back equal, with `.0` where an integer would be read otherwise.
// REQUIRED: the value is finite.
char* put_number(char* out, double value);
char* put_number(char* out, float value);

template <std::integral Integer>
char* put_number(char* out, Integer value) {
  static_assert(sizeof(Integer) <= sizeof(std::int64_t));
  if constexpr (std::signed_integral<Integer>) {
    return put_number(out, static_cast<std::int64_t>(value));
  } else {
    return put_number(out, static_cast<std::uint64_t>(value));
  }
}

}  // namespace tessera::json
