#include <string>

#include "http/head_check.h"
#include "http/server.h"

namespace tessera::http {

std::optional<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto host = text.substr(0, colon);
  const auto port = parse_port(text.substr(colon + 1));
  if (!port || !is_host_value(host)) return std::nullopt;
  if (host.front() == '[') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // an IPv6 address without brackets, or two ports
  }
  return Address{std::string(host), *port};
}

std::string to_string(const Address& address) {
  const bool bracketed = address.host.find(':') != std::string::npos;
  return (bracketed ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace tessera::http
