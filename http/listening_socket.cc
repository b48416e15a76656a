#include "http/listening_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

tcp::endpoint resolve(asio::io_context& context, const Address& address) {
  error_code error;
  const auto literal = asio::ip::make_address(address.host, error);
  if (!error) return {literal, address.port};
  tcp::resolver resolver(context);
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

int open_socket(const Address& address) {
  asio::io_context context(1);
  const auto endpoint = resolve(context, address);
  tcp::acceptor acceptor(context);
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.set_option(ReusePort(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    throw std::runtime_error("cannot listen on " + to_string(address) + ": " + cause(error) +
                             "; choose another with --listen");
  }
  return acceptor.release();
}

// Throws when it is not what clients could connect to.
void check(int descriptor) {
  int listens = 0;
  socklen_t size = sizeof listens;
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
      ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
      (address.ss_family != AF_INET && address.ss_family != AF_INET6)) {
    throw std::runtime_error("an inherited descriptor is no listening TCP socket");
  }
}

}  // namespace

// Owned before it is checked: a constructor that throws has no destructor run, one that it delegated to has.
ListeningSocket::ListeningSocket(int descriptor) : ListeningSocket(Owned{descriptor}) {
  check(descriptor);
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

ListeningSocket::ListeningSocket(const Address& address) : descriptor_(open_socket(address)) {}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Address ListeningSocket::local_address() const {
  tcp::endpoint endpoint;
  socklen_t length = static_cast<socklen_t>(endpoint.capacity());
  if (::getsockname(descriptor_, endpoint.data(), &length) != 0) return {};
  endpoint.resize(length);
  return {endpoint.address().to_string(), endpoint.port()};
}

ListeningSocket ListeningSocket::duplicate() const {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 3);
  if (copy < 0)
    throw std::runtime_error("cannot share a listening socket: " + std::string(std::strerror(errno)));
  return ListeningSocket(copy);
}

}  // namespace tessera::http
