#include "http/error.h"

#include <string>

namespace tessera::http {
namespace {

class Category : public boost::system::error_category {
 public:
  const char* name() const noexcept override { return "tessera.http"; }

  std::string message(int value) const override {
    switch (static_cast<Error>(value)) {
      case Error::timeout:
        return "the deadline passed";
      case Error::closed:
        return "the peer closed the connection";
      case Error::connect_failed:
        return "no address of the origin accepted a connection";
      case Error::resolve_failed:
        return "the origin's name has no address";
      case Error::malformed_message:
        return "the peer sent something that is not an acceptable HTTP/1 message";
      case Error::head_too_large:
        return "the message head is larger than the limit";
      case Error::body_too_large:
        return "the body is larger than the limit";
      case Error::incomplete_body:
        return "the body ended before its framing said so";
      case Error::cancelled:
        return "the exchange was cancelled";
      case Error::overloaded:
        return "as many requests are out as may be";
      case Error::bad_coding:
        return "the body's Content-Encoding is unknown or does not decode";
      case Error::tls_failed:
        return "the TLS handshake failed";
      case Error::plain_http:
        return "the client spoke plain HTTP to a TLS port";
    }
    return "unknown error";
  }
};

}  // namespace

const boost::system::error_category& error_category() {
  static const Category category;
  return category;
}

boost::system::error_code make_error_code(Error error) {
  return {static_cast<int>(error), error_category()};
}

}  // namespace tessera::http
