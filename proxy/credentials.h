// Who is asking, by what of a request a route takes for its credentials.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/fields.h"

namespace tessera::proxy {

// `names` are fields ("authorization", "cookie") and single cookies ("cookie:_session"). Unset: the request
// brings none of them. Two requests that an origin may tell apart by them never have the same.
//
// Origins read cookies in different ways: they trim blanks, fold case, take quotes off, decode "%73id", turn
// "." into
// "_", split at commas, take the first of two or the last. So only a plain `name=value` that is there once
// (RFC 6265 4.2.1) is taken alone; where the name occurs in any other form, the whole of Cookie counts.
std::optional<std::string> credentials_of(const http::Fields& fields, const std::vector<std::string>& names);

}  // namespace tessera::proxy
