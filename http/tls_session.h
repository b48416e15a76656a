// One TLS connection's state: OpenSSL over a non-blocking socket. Says what to wait for; Connection waits.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/uio.h>

#include <boost/system/error_code.hpp>

#include "http/connection.h"

struct ssl_st;

namespace tessera::http {

struct SslFree {
  void operator()(ssl_st* ssl) const;
};
using SslPtr = std::unique_ptr<ssl_st, SslFree>;

// Belongs to its connection. No call blocks, and none raises SIGPIPE.
class TlsSession {
 public:
  // `ssl` knows whether it is a server's or a client's. `owner` is kept as long as the session: what the
  // callbacks of its context refer to.
  explicit TlsSession(SslPtr ssl, std::shared_ptr<const void> owner = nullptr);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // The socket, non-blocking or not, and bytes that were read from it before.
  void attach(int socket, std::string_view ahead);

  enum class Wait { nothing, input, output };
  // Either something to wait for, after which the same call is repeated, or an outcome.
  struct Step {
    Wait wait = Wait::nothing;
    boost::system::error_code error;
    std::size_t bytes = 0;
  };

  // Error::tls_failed (see cause), Error::plain_http, or Error::closed.
  Step handshake();
  // 0 bytes: the peer has said that it ends (close_notify). An end without it is Error::closed, as it may be
  // the work of somebody in between (RFC 8446 6.1).
  Step read(std::span<char> space);
  // One record, of at most 16 KiB, from the front of `pieces`, which are not empty. Small pieces are gathered
  // into one record; what fills a record by itself is not copied. After Wait::output the same pieces come
  // again.
  Step write(std::span<const iovec> pieces);

  // Takes in what has come, tickets and key updates too, and says whether some of it is the peer's data.
  Connection::State probe();
  // Says that nothing more will be written (close_notify); once.
  Step say_goodbye();

  bool is_server() const;
  // A sentence for the log on why the handshake failed: "certificate has expired". No bytes of the peer.
  std::string cause() const;

 private:
  struct Transport;

  Step outcome(int result);

  std::shared_ptr<const void> owner_;
  std::unique_ptr<Transport> transport_;  // outlives ssl_, which refers to it
  SslPtr ssl_;
  unsigned long failure_ = 0;  // OpenSSL's code of the first fatal error
  bool failed_ = false;
  bool open_ = false;  // the handshake is done
  bool said_goodbye_ = false;
};

}  // namespace tessera::http
