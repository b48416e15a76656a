// Invariants: every step consumes at least one byte and writes at most 16 bytes into at least kEscapeRoom; a
// 16-byte store may leave scratch behind `out`, which the next step overwrites.
#include "json/escape.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "json/byte_vector.h"

namespace tessera::json {
namespace {

// What is scanned: text that becomes a string, or a document whose strings are in place.
enum class Source : std::uint8_t { text, document };

constexpr unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

constexpr unsigned char kSeparator = 0xE2;  // the first byte of U+2028 and U+2029

// What a byte needs: nothing, an escape, or a look at the whole UTF-8 sequence that it begins.
enum class Kind : std::uint8_t { plain, escaped, multibyte };

template <Escape kMode, Source kSource>
constexpr std::array<Kind, 256> make_kinds() {
  std::array<Kind, 256> kinds{};
  if (kSource == Source::text) {
    for (std::size_t i = 0; i < 0x20; ++i) kinds[i] = Kind::escaped;
    for (std::size_t i = 0x80; i < 256; ++i) kinds[i] = Kind::multibyte;
    kinds[byte('"')] = kinds[byte('\\')] = Kind::escaped;
  }
  kinds[kSeparator] = kMode == Escape::none ? kinds[kSeparator] : Kind::multibyte;
  if (kMode == Escape::html) kinds[byte('<')] = kinds[byte('>')] = kinds[byte('&')] = Kind::escaped;
  return kinds;
}

template <Escape kMode, Source kSource>
constexpr std::array<Kind, 256> kKinds = make_kinds<kMode, kSource>();

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

char* put_line_separator(const char* in, char* out) {
  std::memcpy(out, byte(in[2]) == 0xA8 ? "\\u2028" : "\\u2029", 6);
  return out + 6;
}

struct Sequence {
  std::size_t length;
  bool valid;
};

// RFC 3629 section 4, as a table of what may follow the first byte.
Sequence read_sequence(const char* in, const char* end) {
  const unsigned char first = byte(*in);
  if (first < 0x80) return {1, true};
  if (first < 0xC2 || first > 0xF4) return {1, false};
  std::size_t length = 2;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xF0) {
    length = 4;
    if (first == 0xF0) low = 0x90;   // overlong
    if (first == 0xF4) high = 0x8F;  // above U+10FFFF
  } else if (first >= 0xE0) {
    length = 3;
    if (first == 0xE0) low = 0xA0;   // overlong
    if (first == 0xED) high = 0x9F;  // surrogates
  }
  if (end - in < 2 || byte(in[1]) < low || byte(in[1]) > high) return {1, false};
  for (std::size_t i = 2; i < length; ++i) {
    if (end - in <= static_cast<std::ptrdiff_t>(i) || (byte(in[i]) & 0xC0U) != 0x80) return {i, false};
  }
  return {length, true};
}

// Whether the four bytes at `in` begin with an ordinary sequence of three bytes: one whose second byte may be
// any continuation, and which is no line separator. Most texts beyond Latin are made of these.
bool is_ordinary_triple(const char* in) {
  const unsigned char first = byte(in[0]);
  const bool is_lead = (first & 0xF0U) == 0xE0 && first != 0xE0 && first != 0xED && first != kSeparator;
  return is_lead && (byte(in[1]) & 0xC0U) == 0x80 && (byte(in[2]) & 0xC0U) == 0x80;
}

// Consumes characters beyond ASCII, which rarely come alone.
template <Escape kMode>
EscapeProgress copy_multibyte(const char* in, const char* end, char* out, const char* limit) {
  do {
    if (end - in >= 4 && is_ordinary_triple(in)) {
      std::memcpy(out, in, 4);  // one more, which the next step overwrites
      in += 3;
      out += 3;
      continue;
    }
    const Sequence sequence = read_sequence(in, end);
    if (!sequence.valid) return {in, out, false};
    if (kMode != Escape::none && sequence.length == 3 && is_line_separator(in)) {
      out = put_line_separator(in, out);
    } else {
      std::memcpy(out, in, sequence.length);
      out += sequence.length;
    }
    in += sequence.length;
  } while (in != end && byte(*in) >= 0x80 && limit - out >= kEscapeRoom);
  return {in, out};
}

// Consumes one character, or several beyond ASCII; of a document, one byte or one line separator.
template <Escape kMode, Source kSource>
EscapeProgress step(const char* in, const char* end, char* out, const char* limit) {
  const unsigned char c = byte(*in);
  switch (kKinds<kMode, kSource>[c]) {
    case Kind::plain:
      break;
    case Kind::escaped:
      return {in + 1, put_escape(c, out)};
    case Kind::multibyte:
      if (kSource == Source::text) return copy_multibyte<kMode>(in, end, out, limit);
      if (end - in >= 3 && is_line_separator(in)) return {in + 3, put_line_separator(in, out)};
      break;
  }
  *out = *in;
  return {in + 1, out + 1};
}

#ifdef TESSERA_BYTE_VECTOR
template <Escape kMode, Source kSource>
ByteVector find_special(ByteVector text) {
  if constexpr (kSource == Source::document) {
    ByteVector found = text.equals(static_cast<char>(kSeparator));
    if constexpr (kMode == Escape::html) found = found | text.equals('&') | text.with(2).equals('>');
    return found;
  } else {
    const ByteVector found = text.is_control_or_high() | text.equals('\\');
    if constexpr (kMode == Escape::html) {  // '"' and '&' differ in one bit, so do '<' and '>'
      return found | text.with(4).equals('&') | text.with(2).equals('>');
    } else {
      return found | text.equals('"');
    }
  }
}

// Copies up to 16 bytes and returns how many of them, from the first, need no second look.
template <Escape kMode, Source kSource>
std::size_t copy_plain(const char* in, std::size_t left, char* out) {
  const ByteVector text = left >= ByteVector::kSize ? ByteVector::load(in) : ByteVector::load_part(in, left);
  text.store(out);
  return std::min(find_special<kMode, kSource>(text).first(), left);
}
#endif

template <Escape kMode, Source kSource, bool kUseVector>
EscapeProgress escape_as(const char* in, const char* end, char* out, const char* limit) {
  while (in != end && limit - out >= kEscapeRoom) {
#ifdef TESSERA_BYTE_VECTOR
    if constexpr (kUseVector) {
      const std::size_t plain = copy_plain<kMode, kSource>(in, static_cast<std::size_t>(end - in), out);
      in += plain;
      out += plain;
      if (plain == ByteVector::kSize || in == end) continue;
    }
#endif
    const EscapeProgress next = step<kMode, kSource>(in, end, out, limit);
    if (!next.valid) return next;
    in = next.in;
    out = next.out;
  }
  return {in, out};
}

template <Source kSource, bool kUseVector>
EscapeProgress escape_any(Escape mode, const char* in, const char* end, char* out, const char* limit) {
  switch (mode) {
    case Escape::none:
      return escape_as<Escape::none, kSource, kUseVector>(in, end, out, limit);
    case Escape::js:
      return escape_as<Escape::js, kSource, kUseVector>(in, end, out, limit);
    case Escape::html:
      break;
  }
  return escape_as<Escape::html, kSource, kUseVector>(in, end, out, limit);
}

template <bool kUseVector>
std::string escape_document(Escape mode, std::string_view document) {
  if (mode == Escape::none) return std::string(document);
  std::string escaped;
  const char* in = document.data();
  const char* const end = in + document.size();
  std::size_t used = 0;
  while (in != end) {
    const auto left = static_cast<std::size_t>(end - in);
    escaped.resize(used + left + left / 8 + 2 * kEscapeRoom);
    char* const limit = escaped.data() + escaped.size();
    const EscapeProgress progress =
        escape_any<Source::document, kUseVector>(mode, in, end, escaped.data() + used, limit);
    in = progress.in;
    used = static_cast<std::size_t>(progress.out - escaped.data());
  }
  escaped.resize(used);
  return escaped;
}

}  // namespace

EscapeProgress escape_text(Escape mode, const char* in, const char* end, char* out, const char* limit) {
  return escape_any<Source::text, true>(mode, in, end, out, limit);
}

EscapeProgress escape_text_scalar(Escape mode, const char* in, const char* end, char* out,
                                  const char* limit) {
  return escape_any<Source::text, false>(mode, in, end, out, limit);
}

std::string escape_json(Escape mode, std::string_view document) {
  return escape_document<true>(mode, document);
}

std::string escape_json_scalar(Escape mode, std::string_view document) {
  return escape_document<false>(mode, document);
}

std::size_t utf8_sequence(const char* in, const char* end) {
  const Sequence sequence = read_sequence(in, end);
  return sequence.valid ? sequence.length : 0;
}

std::size_t utf8_fault(const char* in, const char* end) {
  return read_sequence(in, end).length;
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
