#include "proxy/admin_guard.h"

#include <cstddef>

#include "config/address.h"
#include "http/fields.h"

namespace tessera::proxy {
namespace {

// "http://127.0.0.1:9080" of Origin against "127.0.0.1:9080" of Host. "null" and other schemes are other
// sites: a page that was loaded with TLS did not come from here.
bool is_same_site(std::string_view origin, std::string_view host) {
  constexpr std::string_view kScheme = "http://";
  if (!origin.starts_with(kScheme)) return false;
  auto page = config::parse_host_port(origin.substr(kScheme.size()));
  auto own = config::parse_host_port(host);
  if (!page || !own) return false;
  if (!page->port) page->port = 80;
  if (!own->port) own->port = 80;
  return page == own;
}

}  // namespace

bool equal_in_constant_time(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(given[i] ^ expected);
  }
  return difference == 0;
}

AdminGuard::AdminGuard(const config::AdminSettings& settings) : token_(settings.token) {
  const auto parsed = config::parse_host_port(settings.address);
  if (parsed && !config::is_wildcard(parsed->host)) host_ = parsed->host;
}

std::optional<http::Response> AdminGuard::refuse(const http::RequestHead& head, bool needs_token) const {
  const auto host = head.fields.get("Host");
  if (needs_token && host && !is_own_host(*host)) {
    return http::problem(403, "Host is not this admin listener; use the address that it listens on");
  }
  for (const auto& field : head.fields) {
    const bool is_foreign_origin =
        http::equal_ignoring_case(field.name, "Origin") && !is_same_site(field.value, host.value_or(""));
    const bool is_foreign_fetch = http::equal_ignoring_case(field.name, "Sec-Fetch-Site") &&
                                  field.value != "same-origin" && field.value != "none";
    if (is_foreign_origin || is_foreign_fetch)
      return http::problem(403, "requests from other sites are refused");
  }
  if (!needs_token || token_.empty() || has_token(head.fields)) return std::nullopt;
  auto response = http::problem(401, "this needs `Authorization: Bearer` with the token of the settings");
  response.head.fields.set("WWW-Authenticate", "Bearer realm=\"tessera admin\"");
  return response;
}

bool AdminGuard::is_own_host(std::string_view host) const {
  const auto parsed = config::parse_host_port(host);
  if (!parsed) return false;
  // Where all addresses are listened on there is no name to compare with, and the token has to do.
  if (host_.empty() && !token_.empty()) return true;
  return config::is_loopback(parsed->host) || parsed->host == host_;
}

bool AdminGuard::has_token(const http::Fields& fields) const {
  constexpr std::string_view kScheme = "Bearer ";
  const auto given = fields.get("Authorization");
  if (!given || fields.count("Authorization") != 1) return false;
  if (!http::equal_ignoring_case(given->substr(0, kScheme.size()), kScheme)) return false;
  auto token = given->substr(kScheme.size());
  while (token.starts_with(' ')) token.remove_prefix(1);
  return equal_in_constant_time(token, token_);
}

}  // namespace tessera::proxy
