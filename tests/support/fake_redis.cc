// One thread accepts, and each connection has a thread of its own. The destructor shuts every socket down,
// which wakes those threads, and joins them.
#include "tests/support/fake_redis.h"

#include <algorithm>
#include <utility>

namespace tessera::test {

struct FakeRedis::Peer {
  explicit Peer(Socket from) : socket(std::move(from)) {}

  // The next command; nullopt when the connection has ended.
  std::optional<Command> command() {
    const auto header = line();
    if (!header || !header->starts_with('*')) return std::nullopt;
    Command words;
    for (std::size_t left = std::stoul(header->substr(1)); left > 0; --left) {
      const auto length = line();
      if (!length || !length->starts_with('$')) return std::nullopt;
      const std::size_t size = std::stoul(length->substr(1));
      while (buffer.size() - at < size + 2) {
        if (!fill()) return std::nullopt;
      }
      words.push_back(buffer.substr(at, size));
      at += size + 2;
    }
    return words;
  }
  std::optional<std::string> line() {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n", at)) == std::string::npos) {
      if (!fill()) return std::nullopt;
    }
    std::string text = buffer.substr(at, end - at);
    at = end + 2;
    return text;
  }
  bool fill() {
    buffer.erase(0, std::exchange(at, 0));
    const std::string bytes = socket.receive();
    buffer += bytes;
    return !bytes.empty();
  }

  Socket socket;
  std::string buffer;
  std::size_t at = 0;
  bool ended = false;  // written under the server's mutex
  std::thread thread;
};

FakeRedis::FakeRedis(Script script) : listener_(Socket::listen_on_loopback()), script_(std::move(script)) {
  acceptor_ = std::thread([this] { accept_all(); });
}

FakeRedis::~FakeRedis() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stopped_.notify_all();
  }
  listener_.shut_down();
  acceptor_.join();
  close_connections();
  // Nobody adds peers any more.
  for (auto& peer : peers_) peer.thread.join();
}

void FakeRedis::accept_all() {
  while (auto socket = listener_.accept()) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    std::erase_if(peers_, [](Peer& ended) {
      if (ended.ended) ended.thread.join();
      return ended.ended;
    });
    ++connections_;
    Peer& peer = peers_.emplace_back(std::move(*socket));
    peer.thread = std::thread([this, &peer] { serve(peer); });
  }
}

void FakeRedis::serve(Peer& peer) {
  while (const auto command = peer.command()) {
    if (!reply(peer, *command)) break;
  }
  const std::lock_guard lock(mutex_);
  peer.socket.close();
  peer.ended = true;
}

bool FakeRedis::reply(Peer& peer, const Command& command) {
  Script script;
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(command);
    script = script_;
  }
  std::optional<Answer> answer;
  if (script) answer = script(command);
  if (!answer) answer = Answer{usual_answer(command)};
  if (answer->delay.count() > 0) {
    std::unique_lock lock(mutex_);
    if (stopped_.wait_for(lock, answer->delay, [this] { return stopping_; })) return false;
  }
  return peer.socket.send_all(answer->bytes) && !answer->close;
}

void FakeRedis::set_script(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

void FakeRedis::answer(std::string name, std::string bytes) {
  set_script(
      [name = std::move(name), bytes = std::move(bytes)](const Command& command) -> std::optional<Answer> {
        if (command.empty() || command.front() != name) return std::nullopt;
        return Answer{bytes};
      });
}

void FakeRedis::close_connections() {
  const std::lock_guard lock(mutex_);
  for (auto& peer : peers_) peer.socket.shut_down();
}

std::size_t FakeRedis::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

std::size_t FakeRedis::count(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      commands_, [name](const Command& command) { return !command.empty() && command.front() == name; }));
}

std::vector<FakeRedis::Command> FakeRedis::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

std::string FakeRedis::usual_answer(const Command& command) {
  const std::string name = command.empty() ? "" : command.front();
  if (name == "PING") return "+PONG\r\n";
  if (name == "GET") return "$-1\r\n";
  if (name == "UNLINK") return ":0\r\n";
  if (name == "SCAN") return "*2\r\n$1\r\n0\r\n*0\r\n";
  if (name != "MGET") return "+OK\r\n";
  std::string answer = "*" + std::to_string(command.size() - 1) + "\r\n";
  for (std::size_t i = 1; i < command.size(); ++i) answer += "$-1\r\n";
  return answer;
}

}  // namespace tessera::test
