// A TCP gate before a server: passes bytes on, or delays, drops, cuts, splits and corrupts them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tests/support/socket.h"

namespace tessera::test {

// Thread-safe. The destructor closes every connection and joins its threads.
class FaultGate {
 public:
  // What befalls the bytes of one direction. Counts begin anew for each connection and with each call that
  // sets them.
  struct Fault {
    std::chrono::milliseconds delay{0};     // before each piece (at most 64 KiB) is passed on
    bool drop = false;                      // taken, and never passed on
    bool split = false;                     // passed on in pieces of one byte
    std::optional<std::size_t> cut_after;   // the connection is reset after so many bytes
    std::optional<std::size_t> corrupt_at;  // all bits of the byte at this place are flipped
  };

  explicit FaultGate(std::uint16_t server_port);  // of 127.0.0.1; passes at first
  ~FaultGate();
  FaultGate(const FaultGate&) = delete;
  FaultGate& operator=(const FaultGate&) = delete;

  std::uint16_t port() const { return listener_.port(); }

  // From the next piece on, for the connections that are there and for new ones.
  void to_client(const Fault& fault);
  void to_server(const Fault& fault);
  void pass();                // both directions, undisturbed
  void refuse(bool refused);  // new connections are closed at once
  void cut();                 // resets the connections that are there

  std::size_t connections() const;  // accepted so far

 private:
  struct Pair;
  struct Direction {
    Fault fault;
    std::size_t generation = 0;
  };

  void accept_all();
  void forget_ended();
  void run(Pair& pair, Direction& direction, Socket& from, Socket& to);
  bool pump(Direction& direction, Socket& from, Socket& to);
  void set(Direction& direction, const Fault& fault);
  bool forward(const Fault& fault, std::size_t& passed, std::string bytes, Socket& to);

  Socket listener_;
  const std::uint16_t server_port_;
  mutable std::mutex mutex_;  // protects all below but acceptor_
  std::condition_variable stopped_;
  bool stopping_ = false;
  bool refused_ = false;
  Direction to_client_;
  Direction to_server_;
  std::list<Pair> pairs_;
  std::size_t connections_ = 0;
  std::thread acceptor_;
};

}  // namespace tessera::test
