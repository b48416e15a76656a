// Invariants: every step consumes at least one byte and writes at most 16 bytes into at least kEscapeRoom; a
// 16-byte store may leave scratch behind `out`, which the next step overwrites.
#include "json/escape.h"

#include <array>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera::json {
namespace {

constexpr std::size_t kVector = 16;

constexpr unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

// What a byte needs: nothing, an escape, or a look at the whole UTF-8 sequence that it begins.
enum class Kind : std::uint8_t { plain, escaped, multibyte };

template <Escape kMode>
constexpr std::array<Kind, 256> make_kinds() {
  std::array<Kind, 256> kinds{};
  for (std::size_t i = 0; i < 0x20; ++i) kinds[i] = Kind::escaped;
  for (std::size_t i = 0x80; i < 256; ++i) kinds[i] = Kind::multibyte;
  kinds[byte('"')] = kinds[byte('\\')] = Kind::escaped;
  if (kMode == Escape::html) kinds[byte('<')] = kinds[byte('>')] = kinds[byte('&')] = Kind::escaped;
  return kinds;
}

template <Escape kMode>
constexpr std::array<Kind, 256> kKinds = make_kinds<kMode>();

char* put_escape(unsigned char c, char* out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  *out++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      *out++ = static_cast<char>(c);
      return out;
    case '\b':
      *out++ = 'b';
      return out;
    case '\t':
      *out++ = 't';
      return out;
    case '\n':
      *out++ = 'n';
      return out;
    case '\f':
      *out++ = 'f';
      return out;
    case '\r':
      *out++ = 'r';
      return out;
    default:
      break;
  }
  *out++ = 'u';
  *out++ = '0';
  *out++ = '0';
  *out++ = kDigits[c >> 4U];
  *out++ = kDigits[c & 0xFU];
  return out;
}

bool is_line_separator(const char* in) {  // U+2028 or U+2029, of a sequence known to be three bytes long
  return byte(in[0]) == 0xE2 && byte(in[1]) == 0x80 && (byte(in[2]) & 0xFEU) == 0xA8;
}

// Consumes one character.
template <Escape kMode>
EscapeProgress step(const char* in, const char* end, char* out) {
  const unsigned char c = byte(*in);
  switch (kKinds<kMode>[c]) {
    case Kind::plain:
      *out = *in;
      return {in + 1, out + 1};
    case Kind::escaped:
      return {in + 1, put_escape(c, out)};
    case Kind::multibyte:
      break;
  }
  const std::size_t length = utf8_sequence(in, end);
  if (length == 0) return {in, out, false};
  if (kMode != Escape::none && length == 3 && is_line_separator(in)) {
    std::memcpy(out, byte(in[2]) == 0xA8 ? "\\u2028" : "\\u2029", 6);
    return {in + 3, out + 6};
  }
  std::memcpy(out, in, length);
  return {in + length, out + length};
}

#ifdef __SSE2__
// Copies 16 bytes and returns how many of them, from the first, need no second look.
template <Escape kMode>
std::size_t copy_plain(const char* in, char* out) {
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), text);
  // Compared as signed numbers, control characters and the bytes of multibyte sequences are both below 0x20.
  __m128i found = _mm_cmplt_epi8(text, _mm_set1_epi8(0x20));
  found = _mm_or_si128(found, _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
  if constexpr (kMode == Escape::html) {  // '"' and '&' differ in one bit, so do '<' and '>'
    found = _mm_or_si128(found, _mm_cmpeq_epi8(_mm_or_si128(text, _mm_set1_epi8(4)), _mm_set1_epi8('&')));
    found = _mm_or_si128(found, _mm_cmpeq_epi8(_mm_or_si128(text, _mm_set1_epi8(2)), _mm_set1_epi8('>')));
  } else {
    found = _mm_or_si128(found, _mm_cmpeq_epi8(text, _mm_set1_epi8('"')));
  }
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
  return mask == 0 ? kVector : static_cast<std::size_t>(std::countr_zero(mask));
}
#endif

template <Escape kMode, bool kUseVector>
EscapeProgress escape_as(const char* in, const char* end, char* out, const char* limit) {
  while (in != end && limit - out >= kEscapeRoom) {
#ifdef __SSE2__
    if constexpr (kUseVector) {
      if (end - in >= static_cast<std::ptrdiff_t>(kVector)) {
        const std::size_t plain = copy_plain<kMode>(in, out);
        in += plain;
        out += plain;
        if (plain == kVector) continue;
      }
    }
#endif
    const EscapeProgress next = step<kMode>(in, end, out);
    if (!next.valid) return next;
    in = next.in;
    out = next.out;
  }
  return {in, out};
}

template <bool kUseVector>
EscapeProgress escape_any(Escape mode, const char* in, const char* end, char* out, const char* limit) {
  switch (mode) {
    case Escape::none:
      return escape_as<Escape::none, kUseVector>(in, end, out, limit);
    case Escape::js:
      return escape_as<Escape::js, kUseVector>(in, end, out, limit);
    case Escape::html:
      break;
  }
  return escape_as<Escape::html, kUseVector>(in, end, out, limit);
}

}  // namespace

EscapeProgress escape_text(Escape mode, const char* in, const char* end, char* out, const char* limit) {
  return escape_any<true>(mode, in, end, out, limit);
}

EscapeProgress escape_text_scalar(Escape mode, const char* in, const char* end, char* out,
                                  const char* limit) {
  return escape_any<false>(mode, in, end, out, limit);
}

// RFC 3629 section 4, as a table of what may follow the first byte.
std::size_t utf8_sequence(const char* in, const char* end) {
  const unsigned char first = byte(*in);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;   // overlong
    if (first == 0xED) high = 0x9F;  // surrogates
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;   // overlong
    if (first == 0xF4) high = 0x8F;  // above U+10FFFF
  } else {
    return 0;
  }
  if (static_cast<std::size_t>(end - in) < length) return 0;
  if (byte(in[1]) < low || byte(in[1]) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(in[i]) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  const char* in = text.data();
  const char* const end = in + text.size();
  while (in != end) {
    const std::size_t length = utf8_sequence(in, end);
    if (length == 0) return false;
    in += length;
  }
  return true;
}

}  // namespace tessera::json
