// The header by which a load balancer names the client of a connection that it passes on: the PROXY protocol,
// versions 1 and 2 (https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::http {

// Larger ones of version 2, which only additional values (TLVs) make so large, are invalid. Version 1 ends
// after 107 bytes at most.
inline constexpr std::size_t kLongestProxyHeader = 4096;

struct ProxyHeader {
  std::size_t size = 0;  // bytes of the header; what follows is the connection's own
  // The client's IP address as text. Empty: the header names none (LOCAL, a health check of the balancer's
  // own; UNKNOWN; a unix socket), and the connection's own peer counts.
  std::string address;
};

enum class ProxyVerdict {
  complete,
  incomplete,  // so far it may become one
  invalid,     // the connection must be closed
};

// Looks for a header at the front of `bytes`; `header` is set when it is complete.
ProxyVerdict parse_proxy_header(std::string_view bytes, ProxyHeader& header);

}  // namespace tessera::http
