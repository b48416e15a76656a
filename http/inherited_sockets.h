// Listening sockets that somebody else has opened for this process: systemd, or the process that it replaces.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "http/listening_socket.h"

namespace tessera::http {

struct NamedSocket {
  std::string name;  // "listen", "tls" or "admin"
  ListeningSocket socket;
};
using NamedSockets = std::vector<NamedSocket>;

// systemd's socket activation (sd_listen_fds(3)): empty unless LISTEN_PID is this process. A socket whose
// FileDescriptorName is "admin" is the admin listener's, "tls" the TLS listener's; every other one is the
// plain one's. Throws std::runtime_error when one of them is no listening TCP socket. Takes the variables out
// of the environment.
NamedSockets sockets_from_systemd();

// The sockets of a running process, asked for over the unix socket where it hands them over (handover.h). It
// goes on accepting until it is told that this one does.
class TakenOver {
 public:
  // nullopt: nobody is there. A long wait is told to the log. Throws std::runtime_error when somebody is and
  // does not answer within `limit`, or answers nonsense.
  static std::optional<TakenOver> ask(const std::string& path,
                                      std::chrono::milliseconds limit = std::chrono::seconds(10));
  ~TakenOver();
  TakenOver(TakenOver&& other) noexcept;
  TakenOver& operator=(TakenOver&& other) noexcept;

  NamedSockets sockets;
  // That process has waited too long for this one to accept, and goes on itself.
  bool given_up() const;
  // Says that this process accepts, upon which the other one finishes and ends. False: that one has given up,
  // or does not answer within `limit`, and goes on itself.
  bool ready(std::chrono::milliseconds limit = std::chrono::seconds(10));

 private:
  class Patience;
  static std::optional<TakenOver> ask_once(const std::string& path, Patience& patience, bool& has_ended);
  explicit TakenOver(int channel) : channel_(channel) {}

  int channel_ = -1;
};

}  // namespace tessera::http
