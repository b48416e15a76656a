#include "http/listener.h"

#include <stdexcept>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/connection_impl.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

tcp::endpoint resolve(const asio::any_io_executor& executor, const Address& address) {
  error_code error;
  const auto literal = asio::ip::make_address(address.host, error);
  if (!error) return {literal, address.port};
  tcp::resolver resolver(executor);
  const auto found =
      resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
  if (error || found.empty()) {
    throw std::runtime_error("cannot listen on " + to_string(address) + ": the name has no address");
  }
  // IPv4 first: "localhost" is 127.0.0.1 for ab and wrk.
  for (const auto& entry : found) {
    if (entry.endpoint().address().is_v4()) return entry.endpoint();
  }
  return found.begin()->endpoint();
}

std::string cause(const error_code& error) {
  if (error == asio::error::address_in_use) return "address already in use";
  if (error == asio::error::access_denied) return "permission denied";
  if (error == boost::system::errc::address_not_available) return "this machine does not have that address";
  return error.message();
}

}  // namespace

struct Listener::Impl {
  explicit Impl(const asio::any_io_executor& executor) : acceptor(executor) {}
  tcp::acceptor acceptor;
};

Listener::Listener(asio::any_io_executor executor, const Address& address)
    : impl_(std::make_unique<Impl>(executor)) {
  const auto endpoint = resolve(executor, address);
  auto& acceptor = impl_->acceptor;
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.set_option(ReusePort(true), error);
  // Accepted sockets inherit it on Linux.
  if (!error) acceptor.set_option(tcp::no_delay(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    throw std::runtime_error("cannot listen on " + to_string(address) + ": " + cause(error) +
                             "; choose another with --listen");
  }
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

void Listener::close() {
  error_code ignored;
  impl_->acceptor.close(ignored);
}

}  // namespace tessera::http
