// A port of this machine that swallows every attempt to connect, as a host behind a silent firewall does.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace tessera::test {

// A listening socket whose queue is full and stays so: the kernel drops further SYNs.
class BlackHole {
 public:
  explicit BlackHole(const char* address = "127.0.0.1", unsigned short port = 0) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    ::inet_pton(AF_INET, address, &where.sin_addr);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* any = reinterpret_cast<sockaddr*>(&where);
    socklen_t size = sizeof where;
    ::bind(listener_, any, size);
    ::listen(listener_, 0);
    ::getsockname(listener_, any, &size);
    port_ = ntohs(where.sin_port);
    for (int& handle : fillers_) {
      handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      ::connect(handle, any, size);
    }
  }
  ~BlackHole() {
    for (const int handle : fillers_) ::close(handle);
    ::close(listener_);
  }
  BlackHole(const BlackHole&) = delete;
  BlackHole& operator=(const BlackHole&) = delete;

  unsigned short port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int listener_ = -1;
  std::array<int, 4> fillers_{};
  unsigned short port_ = 0;
};

}  // namespace tessera::test
