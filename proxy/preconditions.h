// A client's preconditions against a representation that we hold (RFC 9110 13).
#pragma once

#include <string_view>

#include "http/fields.h"

namespace tessera::proxy {

enum class Precondition {
  proceed,              // 200
  not_modified,         // 304
  precondition_failed,  // 412
};

// For GET and HEAD of a representation with this (strong) entity tag and no modification date: If-Match
// (strong comparison), If-None-Match (weak comparison), lists and `*`. If-Modified-Since and
// If-Unmodified-Since are ignored: we have no modification date; Range and If-Range are ignored too.
Precondition evaluate(const http::Fields& request, std::string_view etag);

}  // namespace tessera::proxy
