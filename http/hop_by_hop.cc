#include "http/hop_by_hop.h"

#include <algorithm>
#include <array>
#include <span>

namespace tessera::http {
namespace {

using Names = std::span<const std::string_view>;

// Expect: RFC 9110 10.1.1, our own connections have their own.
constexpr std::array<std::string_view, 13> kHopByHop{
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-authentication-info",
    "te",
    "trailer",
    "transfer-encoding",
    "content-length",
    "upgrade",
    "expect",
    "http2-settings",
};

constexpr std::array<std::string_view, 24> kEndToEnd{
    "host",
    "authorization",
    "cookie",
    "set-cookie",
    "cache-control",
    "pragma",
    "origin",
    "referer",
    "accept",
    "user-agent",
    "range",
    "forwarded",
    "via",
    "x-real-ip",
    "age",
    "date",
    "etag",
    "expires",
    "location",
    "vary",
    "last-modified",
    "authentication-info",
    "www-authenticate",
    "link",
};
constexpr std::array<std::string_view, 5> kEndToEndPrefixes{"content-", "x-forwarded-", "if-", "accept-",
                                                            "access-control-"};

bool is_one_of(std::string_view name, Names names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view other) { return equal_ignoring_case(name, other); });
}

bool is_end_to_end(std::string_view name) {
  return is_one_of(name, kEndToEnd) ||
         std::any_of(kEndToEndPrefixes.begin(), kEndToEndPrefixes.end(), [&](std::string_view prefix) {
           return equal_ignoring_case(name.substr(0, prefix.size()), prefix);
         });
}

}  // namespace

bool is_hop_by_hop(std::string_view name) {
  return is_one_of(name, kHopByHop);
}

Nominations::Nominations(const Fields& fields) {
  for (const auto& line : fields) {
    if (!equal_ignoring_case(line.name, "Connection")) continue;
    for (const auto name : list_elements(line.value)) {
      if (!is_hop_by_hop(name) && !is_end_to_end(name)) names_.push_back(lower_case(name));
    }
  }
  std::sort(names_.begin(), names_.end());
}

bool Nominations::has(std::string_view name) const {
  return !names_.empty() && std::binary_search(names_.begin(), names_.end(), lower_case(name));
}

void remove_hop_by_hop(Fields& fields) {
  const Nominations nominations(fields);
  fields.remove_if([&](std::string_view name) { return is_hop_by_hop(name) || nominations.has(name); });
}

void remove_hop_by_hop(ResponseHead& head) {
  const auto protocols = is_about_upgrade(head.status) ? head.fields.joined("Upgrade") : std::string();
  remove_hop_by_hop(head.fields);
  if (!protocols.empty()) head.fields.set("Upgrade", protocols);
}

}  // namespace tessera::http
