// What of a route's settings decides how that is to be read which is kept of it. Pure.
#pragma once

#include <string>

#include "config/settings.h"

namespace tessera::proxy {

// 12 hexadecimal digits over every setting of the route but those that only say when something is kept or
// tried (mode, settle, fragment_max_age, stale_if_error, verify). It joins every key: a route that is
// configured anew never reads what it wrote under other settings, neither in memory nor in Redis.
std::string route_digest(const config::RouteSettings& settings);

}  // namespace tessera::proxy
