#include "http/inherited_sockets.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include <spdlog/spdlog.h>

#include "http/handover_wire.h"

namespace tessera::http {
namespace {

using std::chrono::steady_clock;

constexpr int kFirst = 3;  // SD_LISTEN_FDS_START

// A wait that is longer is worth a line in the log.
constexpr auto kQuietWait = std::chrono::seconds(1);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

long number(std::string_view text) {
  long value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

// The pieces between separators, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

// Owns all of them, or closes all and throws.
std::vector<ListeningSocket> own(const std::vector<int>& descriptors) {
  std::vector<ListeningSocket> sockets;
  sockets.reserve(descriptors.size());
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    try {
      sockets.emplace_back(descriptors[i]);
    } catch (const std::runtime_error&) {
      for (std::size_t rest = i + 1; rest < descriptors.size(); ++rest) ::close(descriptors[rest]);
      throw;
    }
  }
  return sockets;
}

// What systemd calls a socket says whose it is; one without a name of ours is the plain listener's.
std::string listener_of(std::string_view name) {
  return std::string(name == "admin" || name == "tls" ? name : "listen");
}

bool wait_readable(int channel, steady_clock::time_point deadline) {
  for (;;) {
    pollfd wanted{channel, POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now());
    const int ready = left.count() <= 0 ? 0 : ::poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

std::runtime_error failure(const std::string& path, const std::string& cause) {
  return std::runtime_error("the process that hands over its sockets at " + path + " " + cause);
}

}  // namespace

NamedSockets sockets_from_systemd() {
  const long process = number(variable("LISTEN_PID"));
  const long count = number(variable("LISTEN_FDS"));
  const std::string names = variable("LISTEN_FDNAMES");
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  NamedSockets sockets;
  if (process != ::getpid() || count <= 0) return sockets;
  const auto list = split(names, ':');
  std::vector<int> descriptors;
  for (long i = 0; i < count; ++i) descriptors.push_back(kFirst + static_cast<int>(i));
  auto given = own(descriptors);
  for (std::size_t i = 0; i < given.size(); ++i) {
    sockets.push_back({listener_of(i < list.size() ? list[i] : ""), std::move(given[i])});
  }
  return sockets;
}

// How long to wait in all; says so once when it takes long.
class TakenOver::Patience {
 public:
  Patience(const std::string& path, std::chrono::milliseconds limit)
      : path_(path), deadline_(steady_clock::now() + limit), quiet_until_(steady_clock::now() + kQuietWait) {}

  std::chrono::milliseconds left() const { return until(deadline_); }
  bool wait_readable(int channel) {
    if (http::wait_readable(channel, std::min(deadline_, quiet_until_))) return true;
    say();
    return http::wait_readable(channel, deadline_);
  }
  // Where others wait already connect() waits too, as long as it is told to. False: see errno.
  bool connect(int channel, const sockaddr_un& address) {
    if (connect_until(std::min(deadline_, quiet_until_), channel, address)) return true;
    if (errno != EAGAIN) return false;
    say();
    return connect_until(deadline_, channel, address);
  }

 private:
  static std::chrono::milliseconds until(steady_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time - steady_clock::now());
  }
  static bool connect_until(steady_clock::time_point time, int channel, const sockaddr_un& address) {
    const auto limit = std::max(until(time), std::chrono::milliseconds(1));  // none would be for ever
    timeval value{};
    value.tv_sec = limit.count() / 1000;
    value.tv_usec = limit.count() % 1000 * 1000;
    ::setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
    return ::connect(channel, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  void say() {
    if (said_ || left().count() <= 0) return;
    said_ = true;
    spdlog::info("the process that hands over its sockets at {} does not answer yet", path_);
  }

  const std::string& path_;
  const steady_clock::time_point deadline_;
  const steady_clock::time_point quiet_until_;
  bool said_ = false;
};

// One that ends, or hands over to another successor, ends the channel: whoever is at the path by then is
// asked.
std::optional<TakenOver> TakenOver::ask(const std::string& path, std::chrono::milliseconds limit) {
  Patience patience(path, limit);
  for (;;) {
    bool has_ended = false;
    auto taken = ask_once(path, patience, has_ended);
    if (!has_ended) return taken;
    if (patience.left().count() <= 0) throw failure(path, "ends again and again");
    ::poll(nullptr, 0, 20);
  }
}

std::optional<TakenOver> TakenOver::ask_once(const std::string& path, Patience& patience, bool& has_ended) {
  const auto address = handover::address_of(path);
  const int channel = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (!address || channel < 0) throw std::runtime_error("no socket can be opened for " + path);
  TakenOver taken(channel);
  if (!patience.connect(channel, *address)) {
    if (errno == EAGAIN) throw failure(path, "does not answer");
    if (errno == ENOENT || errno == ECONNREFUSED) return std::nullopt;
    throw failure(path, std::string("cannot be reached: ") + std::strerror(errno));
  }
  if (!handover::is_one_of_us(channel)) throw failure(path, "belongs to another user");
  for (;;) {
    if (!patience.wait_readable(channel)) throw failure(path, "does not answer");
    const auto packet = handover::receive_packet(channel);
    if (!packet && taken.sockets.empty()) {
      has_ended = true;
      return std::nullopt;
    }
    if (!packet) throw failure(path, "ended before it had given all of them");
    auto given = own(packet->descriptors);
    if (packet->text == handover::kEnd) return taken;
    const auto lines = split(packet->text, '\n');
    if (lines.front() != handover::kGreeting || lines.size() != given.size() + 1)
      throw failure(path, "speaks another version of the handover");
    for (std::size_t i = 0; i < given.size(); ++i) {
      taken.sockets.push_back({std::string(lines[i + 1]), std::move(given[i])});
    }
  }
}

TakenOver::TakenOver(TakenOver&& other) noexcept
    : sockets(std::move(other.sockets)), channel_(std::exchange(other.channel_, -1)) {}

TakenOver& TakenOver::operator=(TakenOver&& other) noexcept {
  std::swap(sockets, other.sockets);
  std::swap(channel_, other.channel_);
  return *this;
}

TakenOver::~TakenOver() {
  if (channel_ >= 0) ::close(channel_);
}

// A further kEnd says so; the mere end of the channel is the end of that process.
bool TakenOver::given_up() const {
  pollfd wanted{channel_, POLLIN, 0};
  if (::poll(&wanted, 1, 0) <= 0) return false;
  return handover::receive_packet(channel_).has_value();
}

// Without an answer that process has ended: nobody else has the sockets.
bool TakenOver::ready(std::chrono::milliseconds limit) {
  handover::send_packet(channel_, handover::kReady, {});
  if (!wait_readable(channel_, steady_clock::now() + limit)) return false;
  const auto answer = handover::receive_packet(channel_);
  return !answer || answer->text == handover::kTaken;
}

}  // namespace tessera::http
