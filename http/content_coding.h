// Decoding of Content-Encoding, with bounded output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/error.h"

namespace tessera::http {

// Undoes gzip (one member or several) or deflate (with its zlib wrapper, or raw as some send it).
// Error::body_too_large as soon as more than `limit` bytes come out; Error::bad_coding when the bytes are
// broken, cut short, or followed by others.
Result<std::string> decode_gzip(std::string_view bytes, std::size_t limit);

}  // namespace tessera::http
