#include "proxy/cache_status.h"

#include <algorithm>
#include <string_view>

namespace tessera::proxy {
namespace {

constexpr std::int64_t kLargestInteger = 999'999'999'999'999;  // RFC 8941 3.3.1

std::string_view forward_name(CacheStatus::Forward forward) {
  switch (forward) {
    case CacheStatus::Forward::none:
      return "";
    case CacheStatus::Forward::bypass:
      return "bypass";
    case CacheStatus::Forward::method:
      return "method";
    case CacheStatus::Forward::uri_miss:
      return "uri-miss";
    case CacheStatus::Forward::stale:
      return "stale";
  }
  return "";
}

// All that there is to say stands in one parameter: of two with one name only the last counts (RFC
// 8941 3.1.2).
std::string detail(const CacheStatus& status) {
  std::string text;
  const auto append = [&](std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  const bool said_already = status.forward == CacheStatus::Forward::method && status.reason == Reason::method;
  if (status.reason != Reason::none && !said_already) append(to_string(status.reason));
  if (status.stale_if_error) append("stale-if-error");
  if (status.has_counts) {
    append("snapshot=" + std::to_string(status.from_snapshot));
    append("l1=" + std::to_string(status.from_memory));
    append("l2=" + std::to_string(status.from_remote));
    append("origin=" + std::to_string(status.from_origin));
  }
  return text;
}

}  // namespace

std::string to_string(const CacheStatus& status) {
  std::string text = "tessera; ";
  if (status.forward == CacheStatus::Forward::none) {
    text += "hit";
  } else {
    text += "fwd=";
    text += forward_name(status.forward);
    // These three speak of a forwarded request only (RFC 9211 2.3, 2.5, 2.6).
    if (status.forward_status) text += "; fwd-status=" + std::to_string(*status.forward_status);
    if (status.stored) text += "; stored";
    if (status.collapsed) text += "; collapsed";
  }
  if (status.ttl)
    text += "; ttl=" + std::to_string(std::clamp(*status.ttl, -kLargestInteger, kLargestInteger));
  const std::string said = detail(status);
  if (said.empty()) return text;
  const bool is_token = said.find_first_of(" =") == std::string::npos;
  text += is_token ? "; detail=" + said : "; detail=\"" + said + '"';
  return text;
}

void add_cache_status(http::Fields& fields, const CacheStatus& status) {
  std::string list = fields.joined("Cache-Status");
  if (!list.empty()) list += ", ";
  fields.set("Cache-Status", list + to_string(status));
}

}  // namespace tessera::proxy
