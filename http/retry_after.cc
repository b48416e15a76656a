#include "http/retry_after.h"

#include <algorithm>
#include <cstdint>

#include "http/http_date.h"

namespace tessera::http {
namespace {

std::optional<std::chrono::seconds> parse_delta(std::string_view text) {
  constexpr std::int64_t kLargest = 2'147'483'648;  // RFC 9111 1.2.2: what any larger number is taken for
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min(value * 10 + (c - '0'), kLargest);
  }
  return std::chrono::seconds(value);
}

}  // namespace

std::optional<std::chrono::seconds> retry_after(const Fields& fields,
                                                std::chrono::system_clock::time_point now) {
  const auto value = fields.get("Retry-After");
  if (!value) return std::nullopt;
  if (const auto delta = parse_delta(*value)) return delta;
  const auto date = parse_http_date(*value);
  if (!date) return std::nullopt;
  return std::max(std::chrono::seconds(0), std::chrono::ceil<std::chrono::seconds>(*date - now));
}

}  // namespace tessera::http
