// The query of a request target, kept as sent: split, filtered and put together, never decoded and
// re-encoded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::proxy {

// The query's "name=value" pieces, empty ones left out.
std::vector<std::string_view> query_pieces(std::string_view query);
// A piece's name, percent-decoded ('+' is a blank).
std::string query_name(std::string_view piece);
// The decoded value of the first piece of that name.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

// The pieces whose decoded name is not among `names`, joined by '&' in their order.
std::string query_without(std::string_view query, const std::vector<std::string>& names);

// Percent-encodes all but the unreserved characters (RFC 3986 2.3).
std::string percent_encode(std::string_view text);

}  // namespace tessera::proxy
