// The syntax of single settings that are texts. Pure.
//
// A check returns "" when the text is fine, and otherwise what stands behind the text in a fault, with the
// way to mend it: `must start with "/", as "/data"`. Checks are not asked about empty texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::config {

using Check = std::string (*)(std::string_view text);

std::string check_address(std::string_view text);
std::string check_origin_url(std::string_view text);
std::string check_health_path(std::string_view text);  // "/health?deep=1"
std::string check_network(std::string_view text);      // "10.0.0.0/8", "::1"
std::string check_host_name(std::string_view text);    // without a port
std::string check_socket_path(std::string_view text);  // an absolute file name that a socket can have
std::string check_redis_address(std::string_view text);
std::string check_token(std::string_view text);   // what Authorization: Bearer can carry (RFC 6750 2.1)
std::string check_prefix(std::string_view text);  // no character that SCAN's patterns know
std::string check_route_name(std::string_view text);
std::string check_path(std::string_view text);     // "/courses/{rendering}", "/files/{*}"
std::string check_pointer(std::string_view text);  // RFC 6901
std::string check_list_param(std::string_view text);
std::string check_credential(std::string_view text);
std::string check_field_name(std::string_view text);  // RFC 9110 5.6.2: token

// The names in a path's braces, `*` among them. REQUIRED: check_path is fine with it.
std::vector<std::string> path_names(std::string_view path);
// A target template may hold the names in braces that are given, and nothing else in braces.
std::string check_template(std::string_view text, const std::vector<std::string>& names);
// How often "{name}" stands in a template.
std::size_t count_name(std::string_view text, std::string_view name);

// No control characters, and UTF-8; the check that every text passes.
std::string check_characters(std::string_view text);

}  // namespace tessera::config
