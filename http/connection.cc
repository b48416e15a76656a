// Reads go through Asio, which tries once before it waits. Writes are our own sendmsg: Asio's async_write
// passes on 64 KiB a call and gathers 16 pieces at most.
#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <climits>

#include "http/connection_impl.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kAwait = asio::use_awaitable;

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

Deadline stall_deadline(const WriteLimits& limits) {
  if (limits.stall == std::chrono::milliseconds::max()) return limits.deadline;
  return std::min(limits.deadline, std::chrono::steady_clock::now() + limits.stall);
}

}  // namespace

void advance(std::span<iovec>& pieces, std::size_t count) {
  while (!pieces.empty() && count >= pieces.front().iov_len) {
    count -= pieces.front().iov_len;
    pieces = pieces.subspan(1);
  }
  if (count != 0) {
    pieces.front().iov_base = static_cast<char*>(pieces.front().iov_base) + count;
    pieces.front().iov_len -= count;
  }
}

Connection::Impl::Impl(StreamSocket connected) : socket(std::move(connected)), timer(socket.get_executor()) {}

void Connection::Impl::guard(Deadline until) {
  timed_out = false;
  deadline = until;
  if (until < armed) arm(until);
}

error_code Connection::Impl::unguard(error_code error) {
  deadline = kNoDeadline;
  if (!error) return error;
  if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) {
    return timed_out ? Error::timeout : Error::cancelled;
  }
  return Error::closed;
}

void Connection::Impl::arm(Deadline at) {
  armed = at;
  timer.expires_at(at);
  timer.async_wait([weak = weak_from_this()](error_code error) {
    if (error) return;
    if (const auto self = weak.lock()) self->fire();
  });
}

void Connection::Impl::fire() {
  armed = kNoDeadline;
  if (deadline == kNoDeadline) return;
  if (deadline > std::chrono::steady_clock::now()) return arm(deadline);
  timed_out = true;
  error_code ignored;
  socket.cancel(ignored);
}

Connection::Connection(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

Connection::~Connection() {
  if (impl_) close();
}

Task<Result<std::size_t>> Connection::read_some(std::span<char> space, Deadline deadline) {
  if (impl_->cancelled) co_return Error::cancelled;
  if (impl_->tls) co_return co_await read_tls(space, deadline);
  // Asio would wait for an end that it has told already: the kernel does not tell it twice.
  if (impl_->ended) co_return 0u;
  impl_->guard(deadline);
  error_code error;
  const auto count = co_await impl_->socket.async_read_some(asio::buffer(space.data(), space.size()),
                                                            asio::redirect_error(kAwait, error));
  const bool ended = error == asio::error::eof;
  error = impl_->unguard(ended ? error_code() : error);
  if (error) co_return error;
  impl_->ended = ended;
  co_return ended ? 0 : count;
}

Task<Result<std::size_t>> Connection::fill(std::size_t least, Deadline deadline) {
  const auto count = co_await read_some(buffer_.room(least), deadline);
  if (count) buffer_.commit(*count);
  co_return count;
}

WriteResult Connection::write_now(std::span<iovec>& pieces) {
  if (impl_->tls) return write_tls_now(pieces);
  WriteResult result;
  const int handle = impl_->socket.native_handle();
  while (!pieces.empty()) {
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = std::min<std::size_t>(pieces.size(), IOV_MAX);
    const auto count = ::sendmsg(handle, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) {
      if (errno == EINTR) continue;
      if (!would_block(errno)) result.error = Error::closed;
      break;
    }
    result.bytes += static_cast<std::size_t>(count);
    advance(pieces, static_cast<std::size_t>(count));
  }
  return result;
}

Task<WriteResult> Connection::write(std::span<iovec> pieces, WriteLimits limits) {
  using asio::experimental::awaitable_operators::operator||;
  std::size_t total = 0;
  for (;;) {
    if (limits.stop_on_input && probe() != State::quiet) co_return WriteResult{{}, total, true};
    auto step = write_now(pieces);
    total += step.bytes;
    step.bytes = total;
    if (step.error || pieces.empty()) co_return step;
    if (impl_->cancelled) co_return WriteResult{Error::cancelled, total, false};
    impl_->guard(stall_deadline(limits));
    error_code error;
    if (limits.stop_on_input) {
      error_code input_error;
      auto output = impl_->socket.async_wait(StreamSocket::wait_write, asio::redirect_error(kAwait, error));
      auto input =
          impl_->socket.async_wait(StreamSocket::wait_read, asio::redirect_error(kAwait, input_error));
      const auto first = co_await (std::move(output) || std::move(input));
      if (first.index() == 1) error = input_error;
    } else {
      co_await impl_->socket.async_wait(StreamSocket::wait_write, asio::redirect_error(kAwait, error));
    }
    error = impl_->unguard(error);
    if (error) co_return WriteResult{error, total, false};
  }
}

Connection::State Connection::probe() const {
  if (impl_->tls) return impl_->tls->probe();
  char byte;
  for (;;) {
    const auto count = ::recv(impl_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) return State::input;
    if (count == 0) return State::closed;
    if (errno == EINTR) continue;
    return would_block(errno) ? State::quiet : State::closed;
  }
}

int Connection::handle() const {
  return impl_->socket.is_open() ? impl_->socket.native_handle() : -1;
}

void Connection::cancel() {
  impl_->cancelled = true;
  interrupt();
}

void Connection::interrupt() {
  impl_->interrupted = true;
  error_code ignored;
  impl_->socket.cancel(ignored);
}

void Connection::shutdown_write() {
  if (impl_->tls) impl_->tls->say_goodbye();
  error_code ignored;
  impl_->socket.shutdown(StreamSocket::shutdown_send, ignored);
}

void Connection::close() {
  // What a client sends has a length of its own; a server's body may have no other end than this word, which
  // a body that was cut short must not get.
  if (impl_->tls && !impl_->tls->is_server()) impl_->tls->say_goodbye();
  impl_->tls.reset();
  error_code ignored;
  impl_->socket.close(ignored);
  impl_->timer.cancel();
}

}  // namespace tessera::http
