// The identity bytes of an origin's body: we ask for `Accept-Encoding: identity`, and some answer encoded all
// the same.
#pragma once

#include <string>

#include "http/error.h"
#include "http/fields.h"

namespace tessera::proxy {

// Decodes what Content-Encoding names (gzip, x-gzip, deflate, identity), at most `limit` bytes.
// Error::bad_coding for any other coding, and for bytes that do not decode; Error::body_too_large past the
// limit.
http::Result<std::string> decoded_body(const http::Fields& fields, std::string body, std::size_t limit);

}  // namespace tessera::proxy
