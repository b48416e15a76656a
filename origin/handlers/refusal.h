// How a refusal looks on the wire.
#pragma once

#include "http/message.h"
#include "origin/problem.h"

namespace tessera::origin {

// application/problem+json (RFC 9457), and for 503 when to try again.
http::Response to_response(const Problem& problem);

}  // namespace tessera::origin
