#include "http/listener.h"

#include <stdexcept>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/connection_impl.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

struct Listener::Impl {
  explicit Impl(const asio::any_io_executor& executor) : acceptor(executor) {}
  tcp::acceptor acceptor;
};

Listener::Listener(asio::any_io_executor executor, ListeningSocket socket)
    : impl_(std::make_unique<Impl>(executor)) {
  const bool is_v4 = socket.local_address().host.find(':') == std::string::npos;
  error_code error;
  impl_->acceptor.assign(is_v4 ? tcp::v4() : tcp::v6(), socket.descriptor(), error);
  if (error) throw std::runtime_error("cannot listen: " + error.message());
  socket.release();
  impl_->acceptor.native_non_blocking(true, error);
  // Accepted sockets inherit it on Linux.
  impl_->acceptor.set_option(tcp::no_delay(true), error);
}

Listener::~Listener() = default;

Address Listener::local_address() const {
  error_code error;
  const auto endpoint = impl_->acceptor.local_endpoint(error);
  return {endpoint.address().to_string(), endpoint.port()};
}

Task<Result<Accepted>> Listener::accept() {
  tcp::endpoint peer;
  error_code error;
  auto socket = co_await impl_->acceptor.async_accept(peer, asio::redirect_error(asio::use_awaitable, error));
  if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor) {
    co_return Error::cancelled;
  }
  if (error == asio::error::connection_aborted) co_return Error::closed;
  if (error) co_return error;
  co_return Accepted{Connection(std::make_shared<Connection::Impl>(std::move(socket))),
                     peer.address().to_string()};
}

int Listener::descriptor() const {
  return impl_->acceptor.native_handle();
}

// Asio's close() leaves it to the kernel to forget the descriptor in epoll, which it does not do while
// another descriptor of the same socket is open - in another process, perhaps. release() takes it out.
void Listener::close() {
  if (!impl_->acceptor.is_open()) return;
  error_code error;
  const int descriptor = impl_->acceptor.release(error);
  if (!error) ::close(descriptor);
}

}  // namespace tessera::http
