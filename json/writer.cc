// Invariant: buffer_.data() <= out_ <= limit_ == the buffer's end; what lies behind out_ is scratch.
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tessera::json {

void Writer::grow(std::size_t bytes) {
  const std::size_t used = size();
  buffer_.resize(std::max({buffer_.size() * 2, used + bytes, std::size_t{256}}));
  out_ = buffer_.data() + used;
  limit_ = buffer_.data() + buffer_.size();
}

void Writer::quoted(std::string_view text) {
  constexpr std::string_view kReplacement = "\uFFFD";
  ensure(text.size() + kEscapeRoom + 3);
  comma();
  *out_++ = '"';
  const char* in = text.data();
  const char* const end = in + text.size();
  while (true) {
    const EscapeProgress progress = escape_text(escape_, in, end, out_, limit_);
    in = progress.in;
    out_ = progress.out;
    if (in == end) break;
    if (!progress.valid) {
      if (invalid_utf8_ == InvalidUtf8::error) {
        refuse(Error::not_utf8);
        break;
      }
      out_ = std::copy(kReplacement.begin(), kReplacement.end(), out_);  // a fault leaves kEscapeRoom unused
      in += utf8_fault(in, end);
    }
    ensure(static_cast<std::size_t>(end - in) + 2 * kEscapeRoom);
  }
  ensure(2);
  *out_++ = '"';
}

void Writer::string(std::string_view text) {
  quoted(text);
  needs_comma_ = true;
}

void Writer::key(std::string_view name) {
  quoted(name);
  *out_++ = ':';
  needs_comma_ = false;
}

template <class Number>
void Writer::digits(Number value) {
  constexpr std::size_t kLongest = 24;  // -2.2250738585072014e-308
  ensure(1 + kLongest + 2);
  comma();
  out_ = std::to_chars(out_, limit_, value).ptr;
  needs_comma_ = true;
}

void Writer::integer(std::int64_t value) {
  digits(value);
}

void Writer::integer(std::uint64_t value) {
  digits(value);
}

template <class Floating>
void Writer::floating(Floating value) {
  if (!std::isfinite(value)) {
    if (non_finite_ == NonFinite::error) refuse(Error::not_finite);
    return null();
  }
  const std::size_t start = size();
  digits(value);
  const std::string_view text = view().substr(start);
  if (text.find_first_of(".e") == std::string_view::npos) out_ = std::copy_n(".0", 2, out_);
}

template void Writer::floating(double value);
template void Writer::floating(float value);

#ifdef __SIZEOF_INT128__
void Writer::number(UInt128 value) {
  std::array<char, 40> text;
  char* first = text.data() + text.size();
  do {
    *--first = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  raw({first, static_cast<std::size_t>(text.data() + text.size() - first)});
}

void Writer::number(Int128 value) {
  if (value >= 0) return number(static_cast<UInt128>(value));
  ensure(2);
  comma();
  *out_++ = '-';
  needs_comma_ = false;
  number(UInt128{0} - static_cast<UInt128>(value));
}
#endif

void Writer::refuse(Error fault) {
  if (is_valid()) fault_ = fault;
}

std::string Writer::take() {
  buffer_.resize(size());
  std::string document = std::exchange(buffer_, {});
  out_ = buffer_.data();
  limit_ = out_;
  needs_comma_ = false;
  return document;
}

}  // namespace tessera::json
