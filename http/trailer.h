// Trailer fields: what may come behind a body (RFC 9110 6.5).
#pragma once

#include <string_view>

namespace tessera::http {

// False for a field that a recipient needs before the body, or that decides about the message: framing,
// routing, authentication, request modifiers, response control and content (RFC 9110 6.5.1); and for
// whatever says who asks. Such a field is dropped where it comes in.
bool may_be_trailer(std::string_view name);

}  // namespace tessera::http
