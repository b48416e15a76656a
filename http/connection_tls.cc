// The TLS side of a Connection: the same calls, with OpenSSL between them and the socket.
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/connection_impl.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Wait = TlsSession::Wait;

// A peer that sends as fast as we read must not keep the event loop from everybody else.
constexpr int kReadsInARow = 16;

}  // namespace

Task<error_code> Connection::Impl::wait(TlsSession::Wait what, Deadline until) {
  if (cancelled) co_return Error::cancelled;
  guard(until);
  error_code error;
  const auto side = what == Wait::output ? asio::socket_base::wait_write : asio::socket_base::wait_read;
  co_await socket.async_wait(side, asio::redirect_error(asio::use_awaitable, error));
  co_return unguard(error);
}

Task<TlsStarted> Connection::start_tls(std::unique_ptr<TlsSession> session, Deadline deadline) {
  TlsStarted started;
  session->attach(impl_->socket.native_handle(), buffer_.bytes());
  buffer_.consume(buffer_.size());
  for (;;) {
    const auto step = session->handshake();
    if (step.wait == Wait::nothing) {
      started.error = step.error;
      break;
    }
    started.error = co_await impl_->wait(step.wait, deadline);
    if (started.error) break;
  }
  if (!started.error) {
    impl_->tls = std::move(session);
  } else if (started.error == Error::tls_failed) {
    started.cause = session->cause();
  } else {
    started.cause = started.error.message();
  }
  co_return started;
}

Task<Result<std::size_t>> Connection::read_tls(std::span<char> space, Deadline deadline) {
  const auto impl = impl_;
  impl->interrupted = false;
  while (impl->tls) {
    const auto step = impl->tls->read(space);
    if (step.wait != Wait::nothing) {
      impl->reads_in_a_row = 0;
      const auto error = co_await impl->wait(step.wait, deadline);
      if (error) co_return error;
      if (impl->interrupted) co_return Error::cancelled;
      continue;
    }
    if (++impl->reads_in_a_row > kReadsInARow) {
      impl->reads_in_a_row = 0;
      co_await asio::post(impl->socket.get_executor(), asio::use_awaitable);
    }
    if (step.error) co_return step.error;
    co_return step.bytes;
  }
  co_return Error::cancelled;
}

WriteResult Connection::write_tls_now(std::span<iovec>& pieces) {
  WriteResult result;
  while (!pieces.empty() && pieces.front().iov_len == 0) pieces = pieces.subspan(1);
  while (!pieces.empty()) {
    const auto step = impl_->tls->write(pieces);
    result.bytes += step.bytes;
    advance(pieces, step.bytes);
    // Without renegotiation a write never waits for the peer to speak.
    if (step.wait == Wait::input) result.error = Error::closed;
    if (step.error) result.error = step.error;
    if (step.wait != Wait::nothing || result.error) break;
  }
  return result;
}

Task<void> Connection::say_goodbye(Deadline deadline) {
  const auto impl = impl_;
  while (impl->tls) {
    const auto step = impl->tls->say_goodbye();
    if (step.wait != Wait::output) co_return;
    const auto error = co_await impl->wait(step.wait, deadline);
    if (error) co_return;
  }
}

}  // namespace tessera::http
