// The response fields of a page.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/fields.h"
#include "origin/query.h"
#include "origin/selection.h"

namespace tessera::origin {

// Sets Link (RFC 8288; first, prev, next and last, as targets relative to this host that keep all other
// parameters) and X-Total-Count. `total`: how many courses all pages hold together.
void set_paging_fields(http::Fields& fields, std::string_view path, const Parameters& parameters,
                       const Page& page, std::int64_t total);

}  // namespace tessera::origin
