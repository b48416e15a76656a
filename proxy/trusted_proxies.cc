#include "proxy/trusted_proxies.h"

#include <algorithm>

namespace tessera::proxy {
namespace {

// "192.0.2.7:1234", "[::1]:1234", "\"[::1]\"": some proxies write a port.
std::string_view without_port(std::string_view element) {
  if (element.size() > 1 && element.front() == '"' && element.back() == '"')
    element = element.substr(1, element.size() - 2);
  if (element.starts_with('[')) return element.substr(1, element.find(']') - 1);
  const auto colon = element.find(':');
  return colon == element.rfind(':') ? element.substr(0, colon) : element;
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
  for (const auto& text : networks) networks_.push_back(config::parse_network(text).value());
}

bool TrustedProxies::contains(std::string_view address) const {
  if (networks_.empty()) return false;
  const auto ip = config::parse_ip(address);
  return ip && std::any_of(networks_.begin(), networks_.end(),
                           [&](const config::Network& network) { return network.contains(*ip); });
}

std::string TrustedProxies::client_of(const http::Fields& fields) const {
  const std::string list = fields.joined("X-Forwarded-For");
  const auto elements = http::list_elements(list);
  std::string_view client;
  for (auto element = elements.rbegin(); element != elements.rend(); ++element) {
    const auto address = without_port(*element);
    // A zone ("%eth0") means nothing to anybody else, and parse_ip does not look at what stands in it.
    if (address.find('%') != std::string_view::npos || !config::parse_ip(address)) break;
    client = address;
    if (!contains(address)) break;
  }
  return std::string(client);
}

}  // namespace tessera::proxy
