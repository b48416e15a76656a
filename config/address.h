// "host:port" texts, as settings and Host fields have them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera::config {

struct HostPort {
  std::string host;  // in lower case; an IPv6 address without its brackets
  std::optional<unsigned short> port;
  bool operator==(const HostPort&) const = default;
};

// "127.0.0.1:8080", "[::1]", "localhost"; unset when the text is no host with or without a port.
std::optional<HostPort> parse_host_port(std::string_view text);

// "localhost", 127.0.0.0/8 and ::1. Any other name is not, whatever it resolves to.
bool is_loopback(std::string_view host);

// 0.0.0.0 and ::, all addresses of this machine.
bool is_wildcard(std::string_view host);

}  // namespace tessera::config
