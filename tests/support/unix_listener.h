// A listening unix socket.
#pragma once

#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tessera::test {

class UnixListener {
 public:
  explicit UnixListener(const std::string& path) : handle_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const bool bound = ::bind(handle_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (!bound || ::listen(handle_, 8) != 0) throw std::runtime_error("cannot listen on " + path);
  }
  ~UnixListener() { ::close(handle_); }
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  // A connection's handle, which is the caller's.
  int accept() const { return ::accept4(handle_, nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  int handle_;
};

}  // namespace tessera::test
