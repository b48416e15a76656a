#include "proxy/request_id.h"

#include <algorithm>
#include <array>
#include <random>

namespace tessera::proxy {
namespace {

constexpr std::size_t kLongest = 128;
constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuv";
constexpr std::size_t kTraceParent = 55;  // "00-" 32 "-" 16 "-" 2

std::uint64_t seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// Trace Context 3.2.2. A later version may have more behind the flags.
bool is_trace_parent(std::string_view text) {
  if (text.size() < kTraceParent) return false;
  const auto version = text.substr(0, 2);
  if (!is_hex(version) || version == "ff") return false;
  if (text.size() > kTraceParent && (version == "00" || text[kTraceParent] != '-')) return false;
  const auto trace = text.substr(3, 32);
  const auto parent = text.substr(36, 16);
  return text[2] == '-' && text[35] == '-' && text[52] == '-' && is_hex(trace) && is_hex(parent) &&
         is_hex(text.substr(53, 2)) && !is_zero(trace) && !is_zero(parent);
}

std::string hex(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) text[i] = kDigits[number & 0xF];
  return text;
}

}  // namespace

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

RequestIds::RequestIds() : state_(seed()), salt_(seed()) {}

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): a
// permutation of a counter, so it does not repeat within 2^64.
std::uint64_t RequestIds::random() {
  for (;;) {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    if (z != 0) return z;
  }
}

std::string RequestIds::next() {
  constexpr std::size_t kSalted = 2;  // the other 13 hold all bits of the number
  constexpr std::size_t kSize = 15;
  std::array<char, kSize> text{};
  std::uint64_t salt = salt_;
  std::uint64_t number = random();
  for (std::size_t i = 0; i < kSize; ++i) {
    std::uint64_t& from = i < kSalted ? salt : number;
    text[i] = kDigits[from & 0x1F];
    from >>= 5;
  }
  return std::string(text.data(), text.size());
}

void continue_trace(http::Fields& fields, RequestIds& ids, bool begin) {
  const auto given = fields.get("traceparent");
  if (!given && !begin) return;
  if (given && fields.count("traceparent") == 1 && is_trace_parent(*given)) {
    const std::string own =
        "00-" + std::string(given->substr(3, 33)) + hex(ids.random()) + std::string(given->substr(52, 3));
    fields.set("traceparent", own);
    return;
  }
  fields.remove("traceparent");
  fields.remove("tracestate");
  if (!begin) return;
  const std::string trace = hex(ids.random()) + hex(ids.random());
  fields.set("traceparent", "00-" + trace + "-" + hex(ids.random()) + "-00");
}

}  // namespace tessera::proxy
