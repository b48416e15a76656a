#include "json/put_number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace tessera::json {
namespace {

template <class Numeric>
char* put_digits(char* out, Numeric value) {
  return std::to_chars(out, out + kNumberRoom, value).ptr;
}

template <class Floating>
char* put_floating(char* out, Floating value) {
  char* const end = put_digits(out, value);
  const std::string_view text(out, static_cast<std::size_t>(end - out));
  return text.find_first_of(".e") == std::string_view::npos ? std::copy_n(".0", 2, end) : end;
}

}  // namespace

char* put_number(char* out, std::int64_t value) {
  return put_digits(out, value);
}

char* put_number(char* out, std::uint64_t value) {
  return put_digits(out, value);
}

char* put_number(char* out, double value) {
  return put_floating(out, value);
}

char* put_number(char* out, float value) {
  return put_floating(out, value);
}

#ifdef __SIZEOF_INT128__
char* put_number(char* out, UInt128 value) {  // std::to_chars takes these in GNU's dialect only
  std::array<char, kNumberRoom> text;
  char* first = text.data() + text.size();
  do {
    *--first = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  return std::copy(first, text.data() + text.size(), out);
}

char* put_number(char* out, Int128 value) {
  if (value >= 0) return put_number(out, static_cast<UInt128>(value));
  *out++ = '-';
  return put_number(out, UInt128{0} - static_cast<UInt128>(value));
}
#endif

}  // namespace tessera::json
