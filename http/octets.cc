#include "http/octets.h"

#include <cstdint>
#include <cstring>

namespace tessera::http {
namespace {

constexpr std::uint64_t kEach = 0x0101010101010101;
constexpr std::uint64_t kHigh = 0x80 * kEach;

bool is_control(char c) {
  const auto octet = static_cast<unsigned char>(c);
  return octet < 0x20 || octet == 0x7f;
}

// Eight octets at a time, exact about whether there is one ("Bit Twiddling Hacks", hasless and haszero).
bool holds_control(std::uint64_t octets) {
  const std::uint64_t below = (octets - 0x20 * kEach) & ~octets;
  const std::uint64_t other = octets ^ (0x7f * kEach);
  const std::uint64_t del = (other - kEach) & ~other;
  return ((below | del) & kHigh) != 0;
}

}  // namespace

std::size_t find_control(std::string_view text, std::size_t from) {
  std::size_t at = from;
  for (; text.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
    std::uint64_t octets = 0;
    std::memcpy(&octets, text.data() + at, sizeof octets);
    if (holds_control(octets)) break;
  }
  for (; at < text.size(); ++at) {
    if (is_control(text[at])) return at;
  }
  return std::string_view::npos;
}

}  // namespace tessera::http
