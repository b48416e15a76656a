// The inside of a Connection, for the files that make one (listener.cc, connector.cc). Heavy to include.
#pragma once

#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/connection.h"
#include "http/tls_session.h"

namespace tessera::http {

// TCP or a unix socket: what connects and what accepts knows which.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

// Drops `count` written bytes from the front.
void advance(std::span<iovec>& pieces, std::size_t count);

// The timer runs on when a wait ends and only looks at the deadline when it fires: setting a later deadline,
// which is what every request does, costs a store and no timer operation.
struct Connection::Impl : std::enable_shared_from_this<Connection::Impl> {
  explicit Impl(StreamSocket connected);

  void guard(Deadline until);                                          // a wait begins
  boost::system::error_code unguard(boost::system::error_code error);  // it ended; in our own terms

  // Waits for what a TLS step asks for.
  Task<boost::system::error_code> wait(TlsSession::Wait what, Deadline until);

  StreamSocket socket;
  boost::asio::steady_timer timer;
  Deadline deadline = kNoDeadline;  // of the wait in progress
  Deadline armed = kNoDeadline;     // when the timer fires; kNoDeadline: it does not run
  bool timed_out = false;
  bool cancelled = false;
  bool interrupted = false;         // the TLS read in progress, which waits more than once
  bool ended = false;               // the peer's end has been read; of TLS, the session knows
  std::unique_ptr<TlsSession> tls;  // null: plain
  int reads_in_a_row = 0;           // of TLS, that did not wait

 private:
  void arm(Deadline at);
  void fire();
};

}  // namespace tessera::http
