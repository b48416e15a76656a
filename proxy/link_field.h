// The targets in a Link field (RFC 8288). Pure.
#pragma once

#include <string>
#include <string_view>

namespace tessera::proxy {

// The value of a Link line that came with the resource at `from`, as it must read on the resource at `to`
// (both absolute paths): a target whose path is `from` names `to` instead, keeping its query; a relative path
// is written out, since it would mean something else there. A target of another path, of another scheme than
// http(s), or that cannot be read stays as it is, and so does everything else in the line.
std::string rewrite_links(std::string_view value, std::string_view from, std::string_view to);

}  // namespace tessera::proxy
