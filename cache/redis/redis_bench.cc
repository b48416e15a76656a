// One whole list from Redis, 1,000 values of 890 bytes: the store against hiredis's own blocking client, in
// turns, so that both meet the same machine. Writes 1,000 keys named "tessera bench N" that expire in ten
// minutes.
//
//   redis-server --port 0 --unixsocket /tmp/bench.sock --save "" &
//   tessera-redis-bench unix:///tmp/bench.sock          (or redis://127.0.0.1:PORT)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <hiredis/hiredis.h>

#include "cache/redis/address.h"
#include "cache/redis/redis_store.h"

namespace tessera::cache {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeys = 1'000;
constexpr std::size_t kValueBytes = 890;
constexpr int kRounds = 15;
constexpr int kCallsPerRound = 100;

struct Cost {
  double wall = 0;  // microseconds a call
  double cpu = 0;
};

double cpu_microseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

Cost measure(const std::function<void()>& call) {
  const auto begin = Clock::now();
  const double cpu = cpu_microseconds();
  for (int i = 0; i < kCallsPerRound; ++i) call();
  const std::chrono::duration<double, std::micro> wall = Clock::now() - begin;
  return {wall.count() / kCallsPerRound, (cpu_microseconds() - cpu) / kCallsPerRound};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Way {
  const char* name;
  std::function<void()> call;
  std::vector<double> wall;
  std::vector<double> cpu;
};

class BlockingClient {
 public:
  explicit BlockingClient(const redis::Address& address)
      : context_(address.kind == redis::Address::Kind::unix_socket
                     ? redisConnectUnix(address.path.c_str())
                     : redisConnect(address.host.c_str(), address.port)) {
    if (!context_ || context_->err != 0) throw std::runtime_error("hiredis cannot connect");
  }
  void set(const std::string& key, const std::string& value) { ask({"SET", key, value, "EX", "600"}); }
  void get(const std::vector<std::string>& keys) {
    std::vector<std::string> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    if (ask(words)->elements != keys.size()) throw std::runtime_error("hiredis: a short answer");
  }

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
  };
  std::unique_ptr<redisReply, Free> ask(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    std::unique_ptr<redisReply, Free> reply(static_cast<redisReply*>(
        redisCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())));
    if (!reply || reply->type == REDIS_REPLY_ERROR) throw std::runtime_error("hiredis: no answer");
    return reply;
  }
  std::unique_ptr<redisContext, Free> context_;
};

class StoreClient {
 public:
  StoreClient(const std::string& address, unsigned keys_per_command) : io_(1) {
    config::RedisSettings settings;
    settings.address = address;
    settings.keys_per_command = keys_per_command;
    settings.command_timeout = std::chrono::seconds(1);
    store_ = make_redis_store(io_.get_executor(), settings);
    const auto limit = Clock::now() + std::chrono::seconds(5);
    while (!store_->health().connected) {
      io_.run_one_for(std::chrono::milliseconds(10));
      if (Clock::now() > limit) {
        throw std::runtime_error("the store does not connect: " + store_->health().last_error);
      }
    }
  }
  void get(const std::vector<std::string>& keys) {
    std::size_t found = 0;
    bool ended = false;
    auto done = [&](const std::exception_ptr&, std::vector<std::optional<std::string>> values) {
      ended = true;
      for (const auto& value : values) found += value && value->size() == kValueBytes ? 1 : 0;
    };
    boost::asio::co_spawn(io_, store_->get(keys, Clock::now() + std::chrono::seconds(5)), done);
    while (!ended) io_.run_one();
    if (found != kKeys) throw std::runtime_error("the store misses values: " + store_->health().last_error);
  }

 private:
  boost::asio::io_context io_;
  std::unique_ptr<RemoteStore> store_;
};

int run(const std::string& address_text) {
  const auto address = redis::parse_address(address_text);
  if (address.has_error()) throw std::runtime_error(address.error());
  BlockingClient blocking(*address);
  StoreClient chunked(address_text, 256);
  StoreClient whole(address_text, kKeys);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kKeys; ++i) {
    keys.push_back("tessera bench " + std::to_string(i));
    blocking.set(keys.back(), std::string(kValueBytes, static_cast<char>('a' + i % 26)));
  }
  std::vector<Way> ways;
  ways.push_back({"hiredis, blocking, MGET 1000", [&] { blocking.get(keys); }, {}, {}});
  ways.push_back({"store, 256 keys a command", [&] { chunked.get(keys); }, {}, {}});
  ways.push_back({"store, 1000 keys a command", [&] { whole.get(keys); }, {}, {}});
  for (int round = 0; round < kRounds; ++round) {
    for (auto& way : ways) {
      const Cost cost = measure(way.call);
      way.wall.push_back(cost.wall);
      way.cpu.push_back(cost.cpu);
    }
  }
  const double base = median(ways.front().wall);
  std::printf("%-32s %10s %10s %8s   (medians of %d rounds, us a call)\n", "", "wall", "cpu", "ratio",
              kRounds);
  for (const auto& way : ways) {
    std::printf("%-32s %10.0f %10.0f %8.2f\n", way.name, median(way.wall), median(way.cpu),
                median(way.wall) / base);
  }
  return 0;
}

}  // namespace
}  // namespace tessera::cache

int main(int argc, char** argv) {
  // A block of this size, once freed, stops glibc from giving memory back to the system after every call, as
  // it does in any server that has handled a large body. Otherwise page faults are half of what is measured.
  char* volatile block = new char[8 << 20];
  delete[] block;
  if (argc != 2) {
    std::fprintf(stderr, "usage: tessera-redis-bench ADDRESS\n");
    return 2;
  }
  try {
    return tessera::cache::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-redis-bench: %s\n", error.what());
    return 1;
  }
}
