// Invariant: no function reads at or behind `end`.
#include "json/document_stream.h"

#include <bit>

#include "json/escape.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera::json {
namespace {

bool is_digit(const char* in, const char* end) {
  return in != end && *in >= '0' && *in <= '9';
}

const char* skip_digits(const char* in, const char* end) {
  while (is_digit(in, end)) ++in;
  return in;
}

// The first byte that is no plain ASCII of a string, or `end`.
const char* skip_ascii(const char* in, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1F);
  for (; end - in >= 16; in += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    const __m128i special =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    // The sign bits of the bytes themselves mark what is no ASCII.
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(special, bytes)));
    if (mask != 0) return in + std::countr_zero(mask);
  }
#endif
  for (; in != end; ++in) {
    const auto c = static_cast<unsigned char>(*in);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
  }
  return in;
}

}  // namespace

const char* skip_text(const char* in, const char* end) {
  while (true) {
    in = skip_ascii(in, end);
    if (in == end || static_cast<unsigned char>(*in) < 0x80) return in;
    const std::size_t length = utf8_sequence(in, end);
    if (length == 0) return nullptr;
    in += length;
  }
}

const char* skip_number(const char* in, const char* end) {
  if (in != end && *in == '-') ++in;
  if (!is_digit(in, end)) return nullptr;
  in = *in == '0' ? in + 1 : skip_digits(in, end);
  if (in != end && *in == '.') {
    ++in;
    if (!is_digit(in, end)) return nullptr;
    in = skip_digits(in, end);
  }
  if (in != end && (*in == 'e' || *in == 'E')) {
    ++in;
    if (in != end && (*in == '+' || *in == '-')) ++in;
    if (!is_digit(in, end)) return nullptr;
    in = skip_digits(in, end);
  }
  // RapidJSON, which sees a 0 here, would take these for a part of it.
  if (in != end && std::string_view(".eE+-0123456789").find(*in) != std::string_view::npos) return nullptr;
  return in;
}

}  // namespace tessera::json
