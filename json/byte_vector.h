// Sixteen bytes at a time: the few vector instructions that a scan of text needs, as SSE2 (every x86-64) or
// NEON (every AArch64) has them. Elsewhere TESSERA_BYTE_VECTOR is not defined and scans go byte by byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#define TESSERA_BYTE_VECTOR 1
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#define TESSERA_BYTE_VECTOR 1
#endif

#ifdef TESSERA_BYTE_VECTOR
namespace tessera::json {

class ByteVector {
 public:
  static constexpr std::size_t kSize = 16;

  static ByteVector load(const char* in);
  // Reads 1 to 15 bytes; those behind them are 0.
  static ByteVector load_part(const char* in, std::size_t bytes);
  // Writes all 16.
  void store(char* out) const;

  // Each of these gives a vector of marks: 0xFF where it holds, 0 where it does not.
  ByteVector equals(char c) const;
  ByteVector is_control_or_high() const;  // below 0x20, or no ASCII

  ByteVector with(char bits) const;  // these bits set in every byte
  ByteVector operator|(ByteVector other) const;

  // Of a vector of marks: the place of the first, or 16 when there is none.
  std::size_t first() const;

 private:
#if defined(__SSE2__)
  using Bytes = __m128i;
#else
  using Bytes = uint8x16_t;
#endif
  explicit ByteVector(Bytes bytes) : bytes_(bytes) {}
  static ByteVector of(std::uint64_t low, std::uint64_t high);

  Bytes bytes_;
};

namespace detail {

template <class Word>
std::uint64_t load_word(const char* in) {
  Word word;
  std::memcpy(&word, in, sizeof word);
  return word;
}

}  // namespace detail

// With loads that overlap instead of a loop, and none behind the last byte.
inline ByteVector ByteVector::load_part(const char* in, std::size_t bytes) {
  const char* const end = in + bytes;
  if (bytes >= 8) {
    const unsigned half = static_cast<unsigned>(16 - bytes) * 4;  // a shift by 64 bits at once is undefined
    return of(detail::load_word<std::uint64_t>(in),
              (detail::load_word<std::uint64_t>(end - 8) >> half) >> half);
  }
  if (bytes >= 4) {
    return of(detail::load_word<std::uint32_t>(in) | detail::load_word<std::uint32_t>(end - 4)
                                                         << (bytes - 4) * 8,
              0);
  }
  return of(detail::load_word<std::uint8_t>(in) |
                detail::load_word<std::uint8_t>(in + bytes / 2) << bytes / 2 * 8 |
                detail::load_word<std::uint8_t>(end - 1) << (bytes - 1) * 8,
            0);
}

#if defined(__SSE2__)

inline ByteVector ByteVector::of(std::uint64_t low, std::uint64_t high) {
  return ByteVector(_mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low)));
}

inline ByteVector ByteVector::load(const char* in) {
  return ByteVector(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
}

inline void ByteVector::store(char* out) const {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes_);
}

inline ByteVector ByteVector::equals(char c) const {
  return ByteVector(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c)));
}

inline ByteVector ByteVector::is_control_or_high() const {  // as signed numbers both are below 0x20
  return ByteVector(_mm_cmplt_epi8(bytes_, _mm_set1_epi8(0x20)));
}

inline ByteVector ByteVector::with(char bits) const {
  return ByteVector(_mm_or_si128(bytes_, _mm_set1_epi8(bits)));
}

inline ByteVector ByteVector::operator|(ByteVector other) const {
  return ByteVector(_mm_or_si128(bytes_, other.bytes_));
}

inline std::size_t ByteVector::first() const {
  const auto marks = static_cast<unsigned>(_mm_movemask_epi8(bytes_));
  return static_cast<std::size_t>(std::countr_zero(marks | 0x10000U));
}

#else

inline ByteVector ByteVector::of(std::uint64_t low, std::uint64_t high) {
  return ByteVector(vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high))));
}

inline ByteVector ByteVector::load(const char* in) {
  return ByteVector(vld1q_u8(reinterpret_cast<const std::uint8_t*>(in)));
}

inline void ByteVector::store(char* out) const {
  vst1q_u8(reinterpret_cast<std::uint8_t*>(out), bytes_);
}

inline ByteVector ByteVector::equals(char c) const {
  return ByteVector(vceqq_u8(bytes_, vdupq_n_u8(static_cast<std::uint8_t>(c))));
}

inline ByteVector ByteVector::is_control_or_high() const {  // as signed numbers both are below 0x20
  return ByteVector(vcltq_s8(vreinterpretq_s8_u8(bytes_), vdupq_n_s8(0x20)));
}

inline ByteVector ByteVector::with(char bits) const {
  return ByteVector(vorrq_u8(bytes_, vdupq_n_u8(static_cast<std::uint8_t>(bits))));
}

inline ByteVector ByteVector::operator|(ByteVector other) const {
  return ByteVector(vorrq_u8(bytes_, other.bytes_));
}

inline std::size_t ByteVector::first() const {  // NEON has no movemask: four bits a byte do as well
  const uint8x8_t halves = vshrn_n_u16(vreinterpretq_u16_u8(bytes_), 4);
  const std::uint64_t marks = vget_lane_u64(vreinterpret_u64_u8(halves), 0);
  return static_cast<std::size_t>(std::countr_zero(marks)) / 4;
}

#endif

}  // namespace tessera::json
#endif
