// A blocking socket, closed with its owner: what the fake servers and gates of the test kit are made of.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::test {

// Nothing here raises SIGPIPE. shut_down() and abandon() may be called from
// another thread, to wake the one that reads.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket();
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;

  // These throw std::runtime_error.
  static Socket bind_loopback();       // a free port of 127.0.0.1, held until the socket is closed
  static Socket listen_on_loopback();  // the same, and listens
  static Socket connect_unix(const std::string& path);

  static std::optional<Socket> connect_loopback(std::uint16_t port);  // nullopt: refused
  std::optional<Socket> accept();                                     // nullopt: shut down

  std::uint16_t port() const;  // its own
  bool send_all(std::string_view bytes);
  // What has come, at most `limit` bytes; "" at the end, on an error, and when `set_timeout` has passed.
  std::string receive(std::size_t limit = 65'536);
  void set_timeout(std::chrono::milliseconds timeout);
  void shut_down();
  // Wakes the reader; the peer learns of it by a reset (RST) when the socket is closed.
  void abandon();
  void close() { *this = Socket(); }

 private:
  int descriptor_ = -1;
};

}  // namespace tessera::test
