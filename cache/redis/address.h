// Where Redis is, as `[redis] address` says it. Pure, so that a configuration can be checked without a
// connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/system/result.hpp>

namespace tessera::cache::redis {

struct Address {
  enum class Kind : unsigned char { tcp, tls, unix_socket };
  Kind kind = Kind::tcp;
  std::string host;  // a name or an IP address without brackets; "" for a unix socket
  std::uint16_t port = 6379;
  std::string path;  // of a unix socket
  std::string user;  // "": the default user
  std::string password;
  unsigned database = 0;
};

// redis://[[user]:password@]host[:port][/database], rediss:// for TLS,
// unix://[[user]:password@]/path[?db=database]. User, password and path may be percent-encoded. The error is
// a sentence that says how to mend the address; it never repeats a password.
boost::system::result<Address, std::string> parse_address(std::string_view text);

// For people: no user, no password.
std::string to_string(const Address& address);

}  // namespace tessera::cache::redis
