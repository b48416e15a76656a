// A Redis inside the test, for what a real one does not do on command: any reply, late, cut, or nonsense.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/socket.h"

namespace tessera::test {

// Thread-safe. The destructor closes every connection and joins its threads.
class FakeRedis {
 public:
  using Command = std::vector<std::string>;  // its words

  struct Answer {
    std::string bytes;                   // sent as they are
    std::chrono::milliseconds delay{0};  // before that; later commands of the connection wait too
    bool close = false;                  // after that
  };
  // Asked for each command, in the connection's thread. nullopt: the answer of a real, empty Redis.
  using Script = std::function<std::optional<Answer>(const Command& command)>;

  explicit FakeRedis(Script script = {});
  ~FakeRedis();
  FakeRedis(const FakeRedis&) = delete;
  FakeRedis& operator=(const FakeRedis&) = delete;

  std::uint16_t port() const { return listener_.port(); }
  std::string address() const { return "redis://127.0.0.1:" + std::to_string(port()); }

  void set_script(Script script);
  // Answers every command of that name with these bytes, all others as a real one.
  void answer(std::string name, std::string bytes);
  void close_connections();

  std::size_t connections() const;                 // accepted so far
  std::size_t count(std::string_view name) const;  // commands of that name so far
  std::vector<Command> commands() const;           // all that came, in order

  // What a real, empty Redis answers: "+PONG\r\n", nil for each key.
  static std::string usual_answer(const Command& command);

 private:
  struct Peer;

  void accept_all();
  void serve(Peer& peer);
  bool reply(Peer& peer, const Command& command);

  Socket listener_;
  mutable std::mutex mutex_;  // protects all below but acceptor_
  std::condition_variable stopped_;
  bool stopping_ = false;
  Script script_;
  std::list<Peer> peers_;
  std::vector<Command> commands_;
  std::size_t connections_ = 0;
  std::thread acceptor_;
};

}  // namespace tessera::test
