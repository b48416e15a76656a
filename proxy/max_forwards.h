// TRACE, and how far TRACE and OPTIONS go (RFC 9110 7.6.2, 9.3.7, 9.3.8). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "http/message.h"

namespace tessera::proxy {

// What Allow says where we answer ourselves. The origin may know more.
inline constexpr std::string_view kAllowedMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

// The answer to a request that ends here: a TRACE or OPTIONS whose Max-Forwards is 0 (400 when it is no
// number). Any other TRACE is refused with 405, because an origin's answer would show its client, and
// whatever runs there, credentials that it cannot read. nullopt: the request goes on.
//
// What a TRACE at 0 gives back is the head without the fields that carry credentials or tell of hops before
// us.
std::optional<http::Response> answered_here(const http::Request& request);

// One hop less, in an OPTIONS that goes on. Other methods have no such field: it is left as it is.
void count_hop(http::RequestHead& head);

}  // namespace tessera::proxy
