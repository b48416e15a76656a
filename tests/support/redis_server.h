// A real redis-server (Debian's package) of the test's own: no fixed port, no persistence, gone with its
// owner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/socket.h"
#include "tests/support/temporary.h"

namespace tessera::test {

// Belongs to the thread that constructs it. What fails throws std::runtime_error with a sentence.
class RedisServer {
 public:
  struct Options {
    bool tcp = false;                                      // besides the unix socket a port of 127.0.0.1
    bool tls = false;                                      // and one for TLS
    std::string password;                                  // "": none
    std::string tls_names = "DNS:localhost,IP:127.0.0.1";  // that the certificate is for
    std::vector<std::string> arguments;  // more of redis-server's own: {"--maxmemory", "2mb"}
  };
  RedisServer() : RedisServer(Options()) {}
  explicit RedisServer(Options options);  // runs, and answers, from here on
  ~RedisServer();

  // For `[redis] address`; the same after a restart.
  std::string unix_address() const;
  std::string tcp_address() const;  // REQUIRES: Options::tcp
  std::string tls_address() const;  // REQUIRES: Options::tls; names 127.0.0.1
  std::string ca_file() const;      // in PEM format; the certificate vouches for itself
  std::uint16_t port() const { return port_.port(); }
  std::uint16_t tls_port() const { return tls_port_.port(); }

  void kill();     // SIGKILL: clients see their connections break, then refused ones
  void stop();     // SIGTERM
  void freeze();   // SIGSTOP: connections stay, and new ones are accepted by the kernel, but nothing answers
  void thaw();     // SIGCONT
  void restart();  // kill(), then on the same addresses, empty
  bool running() { return process_ && process_->running(); }
  pid_t pid() const { return process_->pid(); }

  // One command on a connection of its own. Elements of arrays (nested ones too) one by one; "(nil)" for nil;
  // errors as "(error) ERR ...".
  std::vector<std::string> command(const std::vector<std::string>& words) const;

 private:
  void start();
  void make_certificate();
  std::string password_part() const;
  std::string socket_path() const { return directory_.file("redis.sock"); }

  const Options options_;
  TemporaryDirectory directory_;
  // Bound, never listening: the kernel gives the port to nobody else, even while redis-server is down.
  Socket port_;
  Socket tls_port_;
  std::unique_ptr<Process> process_;
};

}  // namespace tessera::test
