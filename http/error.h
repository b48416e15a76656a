// What can go wrong on an HTTP connection, as values.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace tessera::http {

enum class Error {
  timeout = 1,        // the deadline passed; the connection is closed and never reused
  closed,             // the peer closed (or reset) before the message was complete
  connect_failed,     // no address of the origin accepted a connection
  resolve_failed,     // the origin's name has no address
  malformed_message,  // the peer's bytes are not an HTTP/1 message that we accept (RFC 9112)
  head_too_large,     // the message head is larger than the limit
  body_too_large,     // the body is larger than the limit
  incomplete_body,    // the peer closed before the framing said that the body ends
  cancelled,          // we are shutting down, or nobody wants the answer any more
  overloaded,         // as many requests are out as may be; nothing was sent
  bad_coding,         // the body's Content-Encoding is unknown, or does not decode
  tls_failed,         // the TLS handshake failed, or the peer's certificate is not accepted
  plain_http,         // a client spoke HTTP where TLS was expected
};

const boost::system::error_category& error_category();
boost::system::error_code make_error_code(Error error);

template <class T>
using Result = boost::system::result<T>;

}  // namespace tessera::http

template <>
struct boost::system::is_error_code_enum<tessera::http::Error> : std::true_type {};
