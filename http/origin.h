// Where an origin is.
#pragma once

#include <string>
#include <string_view>

#include <boost/system/result.hpp>

namespace tessera::http {

// "http://host[:port]", "https://host[:port]" or "unix:///path" split into its parts.
struct Origin {
  std::string scheme = "http";  // or "https", or "unix"
  std::string host;             // of "unix": the socket's path
  unsigned short port = 80;     // of "unix": no meaning

  bool is_unix() const { return scheme == "unix"; }
  // The Host of a request that brings none: "host:port", the port left out when it is the scheme's own;
  // "localhost" of a unix socket.
  std::string authority() const;
  // What statistics and logs call it: the authority, or "unix:///path".
  std::string name() const;
};

// Error text on failure.
boost::system::result<Origin, std::string> parse_origin(std::string_view url);

}  // namespace tessera::http
