#include "http/trailer.h"

#include <algorithm>
#include <array>

#include "http/fields.h"
#include "http/hop_by_hop.h"

namespace tessera::http {
namespace {

constexpr std::array<std::string_view, 37> kNames{
    // routing and who asks
    "Host", "Forwarded", "Via", "Origin", "Referer", "Max-Forwards", "Proxy", "traceparent", "tracestate",
    "X-Original-URL", "X-Rewrite-URL", "X-Real-IP", "Client-IP", "X-Client-IP", "True-Client-IP",
    "X-Cluster-Client-IP", "X-Request-Id", "X-Correlation-Id",
    // authentication
    "Authorization", "Cookie", "Set-Cookie", "WWW-Authenticate", "Authentication-Info",
    // request modifiers and response control
    "Accept", "Age", "Cache-Control", "Date", "Expires", "Last-Modified", "Location", "Link", "Pragma",
    "Range", "Retry-After", "Vary", "Warning", "Refresh"};
constexpr std::array<std::string_view, 8> kPrefixes{"Content-", "If-",    "Accept-",  "Access-Control-",
                                                    "Proxy-",   "X-Forw", "X-Method", "X-HTTP-Method"};

}  // namespace

bool may_be_trailer(std::string_view name) {
  const auto same = [&](std::string_view other) { return equal_ignoring_case(name, other); };
  const auto begins = [&](std::string_view prefix) {
    return equal_ignoring_case(name.substr(0, prefix.size()), prefix);
  };
  // CGI-like servers read X_Forwarded_For as X-Forwarded-For.
  return name.find('_') == std::string_view::npos && !is_hop_by_hop(name) &&
         std::none_of(kNames.begin(), kNames.end(), same) &&
         std::none_of(kPrefixes.begin(), kPrefixes.end(), begins);
}

}  // namespace tessera::http
