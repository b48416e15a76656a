#include "loadtest/crowd.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "tests/support/programs.h"
#include "tests/support/socket.h"

namespace tessera::loadtest {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kReaders = 4;
constexpr unsigned kRounds = 5;
constexpr std::string_view kTarget = "/courses/jbuilder";

// More connections, and more patience with them, than the defaults allow.
constexpr std::string_view kConfig = R"(
[origin]
max_requests = 1000

[limits]
connections = 60000
head_timeout = "10m"
idle_timeout = "10m"

[[route]]
name = "courses"
path = "/courses/{rendering}"
)";

// Of this process and of the proxy that it starts, which keeps some for the origin.
void raise_descriptor_limit(unsigned connections) {
  const rlim_t wanted = rlim_t{connections} + 4'000;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < wanted) limit.rlim_max = wanted;  // as root
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  throw std::runtime_error(
      "this needs " + std::to_string(wanted) +
      " file descriptors; raise the hard limit (ulimit -Hn), or ask for fewer connections");
}

test::Socket connect(unsigned short port) {
  auto socket = test::Socket::connect_loopback(port);
  if (!socket) throw std::runtime_error("the proxy refused a connection");
  socket->set_timeout(std::chrono::seconds(10));
  return std::move(*socket);
}

// Requests one after the other from a few threads; the time that 99 % of them took at most.
std::optional<std::chrono::microseconds> p99(const std::string& url, double seconds) {
  std::mutex mutex;
  std::vector<Clock::duration> took;
  std::atomic<bool> failed{false};
  std::vector<std::thread> readers;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (unsigned i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      test::Connection connection(url);
      std::vector<Clock::duration> own;
      while (Clock::now() < end) {
        const auto begin = Clock::now();
        if (!connection.get(kTarget).ok()) failed = true;
        own.push_back(Clock::now() - begin);
      }
      const std::lock_guard lock(mutex);
      took.insert(took.end(), own.begin(), own.end());
    });
  }
  for (auto& reader : readers) reader.join();
  if (failed || took.empty()) return std::nullopt;
  const auto rank = took.begin() + static_cast<std::ptrdiff_t>(took.size() * 99 / 100);
  std::nth_element(took.begin(), rank, took.end());
  return std::chrono::duration_cast<std::chrono::microseconds>(*rank);
}

// Connections with half a head, each of which gets a byte more every second.
class SlowCrowd {
 public:
  SlowCrowd(unsigned short port, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      sockets_.push_back(connect(port));
      sockets_.back().send_all("GET / HTTP/1.1\r\nHost: a\r\nX: ");
    }
    thread_ = std::thread([this] {
      while (!stop_) {
        for (auto& socket : sockets_) {
          socket.send_all("x");
          std::this_thread::sleep_for(std::chrono::microseconds(1'000'000 / sockets_.size()));
          if (stop_) return;
        }
      }
    });
  }
  ~SlowCrowd() {
    stop_ = true;
    thread_.join();
  }
  SlowCrowd(const SlowCrowd&) = delete;
  SlowCrowd& operator=(const SlowCrowd&) = delete;

 private:
  std::vector<test::Socket> sockets_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

long long median(std::vector<std::chrono::microseconds> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2].count();
}

}  // namespace

int run_idle(const CrowdOptions& options) {
  raise_descriptor_limit(options.idle);
  const test::OriginProgram origin({"--courses", "1", "--slides", "0"});
  test::ProxyProgram proxy(origin.url(), {}, kConfig);
  const unsigned short port = test::parse_url(proxy.url()).port;
  for (int i = 0; i < 10; ++i) proxy.get(kTarget);
  const std::size_t before = proxy.process().resident_bytes();
  std::vector<test::Socket> crowd;
  const std::string request = "GET " + std::string(kTarget) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  unsigned answered = 0;
  for (unsigned i = 0; i < options.idle; ++i) {
    crowd.push_back(connect(port));
    crowd.back().send_all(request);
    if (crowd.back().receive().starts_with("HTTP/1.1 200 ")) ++answered;
  }
  const std::size_t after = proxy.process().resident_bytes();
  // Every one of them is still served.
  unsigned again = 0;
  for (auto& socket : crowd) {
    socket.send_all(request);
    if (socket.receive().starts_with("HTTP/1.1 200 ")) ++again;
  }
  const double each = static_cast<double>(after - before) / options.idle;
  std::printf(
      "%u idle connections: %u answered, %u once more; resident memory %.1f MiB -> %.1f MiB, %.0f bytes for "
      "each\n",
      options.idle, answered, again, static_cast<double>(before) / (1 << 20),
      static_cast<double>(after) / (1 << 20), each);
  return answered == options.idle && again == options.idle ? 0 : 1;
}

int run_slow(const CrowdOptions& options) {
  raise_descriptor_limit(options.slow);
  const test::OriginProgram origin;
  const test::ProxyProgram proxy(origin.url(), {}, kConfig);
  const unsigned short port = test::parse_url(proxy.url()).port;
  p99(proxy.url(), 0.5);  // warm
  std::vector<std::chrono::microseconds> alone;
  std::vector<std::chrono::microseconds> beside;
  for (unsigned round = 0; round < kRounds; ++round) {
    const auto without = p99(proxy.url(), options.seconds);
    std::optional<std::chrono::microseconds> with;
    {
      const SlowCrowd crowd(port, options.slow);
      with = p99(proxy.url(), options.seconds);
    }
    if (!without || !with) {
      std::printf("BROKEN: a request of another client failed\n");
      return 1;
    }
    alone.push_back(*without);
    beside.push_back(*with);
  }
  const double ratio = static_cast<double>(median(beside)) / static_cast<double>(median(alone));
  std::printf(
      "%s: p99 of other clients %lld us, beside %u slow connections %lld us (medians of %u rounds): %.2fx\n",
      ratio <= 2 ? "kept" : "BROKEN", median(alone), options.slow, median(beside), kRounds, ratio);
  return ratio <= 2 ? 0 : 1;
}

}  // namespace tessera::loadtest
