#include "tests/support/socket.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace tessera::test {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* plain(const auto& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Socket tcp_socket() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail("no socket");
  return Socket(descriptor);
}

void send_at_once(int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

Socket Socket::bind_loopback() {
  Socket socket = tcp_socket();
  const int on = 1;
  ::setsockopt(socket.descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto address = loopback(0);
  if (::bind(socket.descriptor_, plain(address), sizeof address) != 0) {
    fail("cannot bind a port of 127.0.0.1");
  }
  return socket;
}

Socket Socket::listen_on_loopback() {
  Socket socket = bind_loopback();
  if (::listen(socket.descriptor_, 128) != 0) fail("cannot listen on 127.0.0.1");
  return socket;
}

Socket Socket::connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw std::runtime_error("the socket's path is too long: " + path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.descriptor_ < 0) fail("no socket");
  if (::connect(socket.descriptor_, plain(address), sizeof address) != 0) fail("cannot connect to " + path);
  return socket;
}

std::optional<Socket> Socket::connect_loopback(std::uint16_t port) {
  Socket socket = tcp_socket();
  const auto address = loopback(port);
  if (::connect(socket.descriptor_, plain(address), sizeof address) != 0) return std::nullopt;
  send_at_once(socket.descriptor_);
  return socket;
}

std::optional<Socket> Socket::accept() {
  for (;;) {
    const int descriptor = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor >= 0) {
      send_at_once(descriptor);
      return Socket(descriptor);
    }
    if (errno != EINTR && errno != ECONNABORTED) return std::nullopt;
  }
}

std::uint16_t Socket::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    fail("the socket has no port");
  }
  return ntohs(address.sin_port);
}

bool Socket::send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string Socket::receive(std::size_t limit) {
  std::string bytes(limit, '\0');
  ssize_t size = 0;
  do {
    size = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
  } while (size < 0 && errno == EINTR);
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

void Socket::set_timeout(std::chrono::milliseconds timeout) {
  timeval limit{};
  limit.tv_sec = timeout.count() / 1000;
  limit.tv_usec = timeout.count() % 1000 * 1000;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

void Socket::shut_down() {
  ::shutdown(descriptor_, SHUT_RDWR);
}

void Socket::abandon() {
  const linger at_once{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::shutdown(descriptor_, SHUT_RD);
}

}  // namespace tessera::test
