// A real Redis that is killed, restarted, frozen, full, locked or read-only, and the store's way back.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tests/cache/redis/store_loop.h"
#include "tests/support/fault_gate.h"
#include "tests/support/redis_server.h"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kBackInUse = 5s;

RedisServer::Options with_tcp() {
  RedisServer::Options options;
  options.tcp = true;
  return options;
}

RedisServer::Options with_tls() {
  RedisServer::Options options;
  options.tls = true;
  return options;
}

// Fifty callers that ask again and again, each for a key of its own, as an event loop's requests do.
class Callers {
 public:
  explicit Callers(StoreLoop& loop) : loop_(loop), tickets_(50) {}

  static std::string key(std::size_t caller) { return "key " + std::to_string(caller); }
  static std::string value(std::size_t caller) { return "value of " + key(caller); }

  static void fill(RedisServer& redis) {
    for (std::size_t i = 0; i < 50; ++i) redis.command({"SET", key(i), value(i)});
  }

  // Replaces what has ended; what came must be the truth or nothing.
  void turn() {
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      auto& ticket = tickets_[i];
      if (ticket && !ticket->ended) continue;
      if (ticket) check(i, *ticket);
      ticket = loop_.begin_get({key(i)});
    }
  }
  // False when a caller never gets its answer.
  bool finish() {
    return loop_.wait_until([this] {
      return std::ranges::all_of(tickets_, [](const auto& ticket) { return !ticket || ticket->ended; });
    });
  }

  std::size_t hits() const { return hits_; }
  std::size_t ended() const { return ended_; }
  std::chrono::nanoseconds longest() const { return longest_; }

 private:
  void check(std::size_t caller, const StoreLoop::Ticket& ticket) {
    ++ended_;
    longest_ = std::max(longest_, ticket.took);
    ASSERT_TRUE(ticket.values.has_value()) << "a get threw";
    ASSERT_EQ(ticket.values->size(), 1u);
    if (!ticket.values->front()) return;
    ASSERT_EQ(*ticket.values->front(), value(caller));
    ++hits_;
  }

  StoreLoop& loop_;
  std::vector<std::shared_ptr<StoreLoop::Ticket>> tickets_;
  std::size_t hits_ = 0;
  std::size_t ended_ = 0;
  std::chrono::nanoseconds longest_{0};
};

TEST(RedisRecovery, StartsWithoutRedisAndUsesItOnceItIsThere) {
  RedisServer redis(with_tcp());
  redis.kill();
  for (const std::string& address : {redis.unix_address(), redis.tcp_address()}) {
    StoreLoop loop(default_settings(address));
    EXPECT_EQ(loop.get_one("a"), std::nullopt);
    EXPECT_EQ(loop.faults(RemoteFault::unavailable), 1u);
    ASSERT_TRUE(loop.wait_until([&] { return !loop.health().last_error.empty(); }));
    EXPECT_FALSE(loop.health().connected);
    redis.restart();
    redis.command({"SET", "a", "1"});
    EXPECT_TRUE(loop.wait_value("a", "1", kBackInUse)) << loop.health().last_error;
    EXPECT_TRUE(loop.health().connected);
    redis.kill();
  }
}

TEST(RedisRecovery, ComesBackAfterEveryKillAndRestart) {
  RedisServer redis(with_tcp());
  StoreLoop loop(patient_settings(redis.tcp_address()));
  for (int round = 0; round < 5; ++round) {
    Callers::fill(redis);
    Callers callers(loop);
    ASSERT_TRUE(loop.wait_until(
        [&] {
          callers.turn();
          return callers.hits() > 200;
        },
        kBackInUse))
        << "round " << round << ": " << loop.health().last_error;
    redis.kill();
    const auto before = callers.ended();
    ASSERT_TRUE(loop.wait_until([&] {
      callers.turn();
      return callers.ended() > before + 200 && !loop.health().connected;
    }));
    ASSERT_TRUE(callers.finish()) << "a waiter was lost";
    redis.restart();
  }
  EXPECT_TRUE(loop.wait_connected(kBackInUse));
  EXPECT_GE(loop.health().reconnects, 5u);
}

TEST(RedisRecovery, LosesNoWaiterInManyBrokenConnections) {
  RedisServer redis(with_tcp());
  Callers::fill(redis);
  FaultGate gate(redis.port());
  StoreLoop loop(patient_settings("redis://127.0.0.1:" + std::to_string(gate.port())));
  Callers callers(loop);
  for (int round = 0; round < 40; ++round) {
    const auto before = callers.hits();
    ASSERT_TRUE(loop.wait_until(
        [&] {
          callers.turn();
          return callers.hits() > before + 100;
        },
        kBackInUse))
        << "round " << round << ": " << loop.health().last_error;
    gate.cut();
  }
  EXPECT_TRUE(callers.finish());
}

TEST(RedisRecovery, AFrozenRedisCostsAtMostOneCommandTimeout) {
  RedisServer redis(with_tcp());
  Callers::fill(redis);
  auto settings = default_settings(redis.tcp_address());
  settings.command_timeout = 200ms;
  StoreLoop loop(settings);
  ASSERT_TRUE(loop.wait_connected());
  Callers callers(loop);
  ASSERT_TRUE(loop.wait_until([&] {
    callers.turn();
    return callers.hits() > 200;
  }));
  redis.freeze();
  const auto begin = Clock::now();
  ASSERT_TRUE(loop.wait_until([&] {
    callers.turn();
    return Clock::now() > begin + 1500ms;
  }));
  // In all that time each of the fifty waited for one timeout at most; after it the breaker answered.
  EXPECT_GE(loop.faults(RemoteFault::timeout), 1u);
  EXPECT_LE(loop.faults(RemoteFault::timeout), 60u);
  EXPECT_GT(loop.faults(RemoteFault::unavailable), 1'000u);
  EXPECT_LT(callers.longest(), 1s);
  redis.thaw();
  const auto hits = callers.hits();
  EXPECT_TRUE(loop.wait_until(
      [&] {
        callers.turn();
        return callers.hits() > hits + 100;
      },
      kBackInUse))
      << loop.health().last_error;
  EXPECT_TRUE(callers.finish());
}

TEST(RedisRecovery, AFullRedisStillAnswersReads) {
  RedisServer redis;
  redis.command({"SET", "a", "1"});
  redis.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  StoreLoop loop(patient_settings(redis.unix_address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.put({{"b", "2"}});
  ASSERT_TRUE(loop.wait_until([&] { return loop.faults(RemoteFault::oom) == 1; }));
  EXPECT_EQ(loop.health().writes_dropped, 1u);
  EXPECT_EQ(loop.get_one("a"), "1");
  redis.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(loop.wait_until(
      [&] {
        loop.put({{"b", "2"}});
        return loop.get_one("b") == "2";
      },
      kBackInUse));
}

TEST(RedisRecovery, AReplicaThatBecomesMasterIsWrittenToAgain) {
  RedisServer redis;
  redis.command({"SET", "a", "1"});
  redis.command({"REPLICAOF", "127.0.0.1", "1"});
  StoreLoop loop(patient_settings(redis.unix_address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.put({{"b", "2"}});
  ASSERT_TRUE(loop.wait_until([&] { return loop.faults(RemoteFault::readonly) == 1; }));
  EXPECT_TRUE(loop.wait_value("a", "1", kBackInUse)) << "a replica may be read";
  redis.command({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(loop.wait_until(
      [&] {
        loop.put({{"b", "2"}});
        return loop.get_one("b") == "2";
      },
      kBackInUse));
  EXPECT_GE(loop.health().reconnects, 1u);
}

TEST(RedisRecovery, MakesDoWithFewConnectionsWhereRedisGrantsNoMore) {
  RedisServer redis(with_tcp());
  Callers::fill(redis);
  StoreLoop loop(patient_settings(redis.tcp_address()));
  ASSERT_TRUE(loop.wait_connected());
  redis.command({"CONFIG", "SET", "maxclients", "1"});
  Callers callers(loop);
  ASSERT_TRUE(loop.wait_until([&] {
    callers.turn();
    return callers.hits() > 2'000;
  }));
  EXPECT_TRUE(callers.finish());
  EXPECT_EQ(callers.hits(), callers.ended());
  EXPECT_EQ(loop.health().reconnects, 0u);
}

TEST(RedisAuthentication, TakesThePasswordOfTheAddress) {
  RedisServer::Options options;
  options.password = "s3cret";
  RedisServer redis(options);
  StoreLoop loop(patient_settings(redis.unix_address()));
  ASSERT_TRUE(loop.wait_connected()) << loop.health().last_error;
  loop.put({{"a", "1"}});
  EXPECT_TRUE(loop.wait_value("a", "1"));
}

TEST(RedisAuthentication, AWrongOrMissingPasswordIsMisconfigured) {
  RedisServer::Options options;
  options.tcp = true;
  options.password = "s3cret";
  RedisServer redis(options);
  const std::string host = "127.0.0.1:" + std::to_string(redis.port());
  for (const std::string& credentials :
       {std::string(), std::string(":wr0ng@"), std::string("nobody:s3cret@")}) {
    StoreLoop loop(patient_settings("redis://" + credentials + host));
    ASSERT_TRUE(loop.wait_until([&] { return loop.faults(RemoteFault::misconfigured) >= 1; })) << credentials;
    EXPECT_FALSE(loop.health().connected);
    EXPECT_EQ(loop.health().last_error.find("wr0ng"), std::string::npos);
    EXPECT_EQ(loop.health().last_error.find("s3cret"), std::string::npos);
    EXPECT_EQ(loop.get_one("a"), std::nullopt);
  }
}

TEST(RedisAuthentication, AUserWithFewRightsIsEnough) {
  RedisServer redis(with_tcp());
  redis.command({"ACL", "SETUSER", "tessera", "on", ">pw", "~*", "+mget", "+set", "+select"});
  StoreLoop loop(patient_settings("redis://tessera:pw@127.0.0.1:" + std::to_string(redis.port()) + "/2"));
  ASSERT_TRUE(loop.wait_connected()) << loop.health().last_error;
  loop.put({{"a", "1"}});
  EXPECT_TRUE(loop.wait_value("a", "1"));
  EXPECT_EQ(loop.purge("courses"), std::nullopt) << "SCAN is not among its rights";
  EXPECT_EQ(loop.faults(RemoteFault::misconfigured), 1u);
}

TEST(RedisAuthentication, UsesTheDatabaseOfTheAddress) {
  RedisServer redis;
  StoreLoop loop(patient_settings(redis.unix_address() + "?db=3"));
  ASSERT_TRUE(loop.wait_connected()) << loop.health().last_error;
  loop.put({{"a", "1"}});
  ASSERT_TRUE(loop.wait_value("a", "1"));
  EXPECT_NE(redis.command({"INFO", "keyspace"}).front().find("db3:keys=1"), std::string::npos);
  StoreLoop beyond(patient_settings(redis.unix_address() + "?db=9999"));
  EXPECT_TRUE(beyond.wait_until([&] { return beyond.faults(RemoteFault::misconfigured) >= 1; }));
  EXPECT_FALSE(beyond.health().connected);
}

TEST(RedisTls, VerifiesTheChain) {
  RedisServer redis(with_tls());
  RedisServer other(with_tls());
  auto settings = patient_settings(redis.tls_address());
  settings.ca_file = other.ca_file();
  for (const std::string& ca_file : {other.ca_file(), std::string()}) {
    settings.ca_file = ca_file;
    StoreLoop loop(settings);
    ASSERT_TRUE(loop.wait_until([&] { return !loop.health().last_error.empty(); }));
    EXPECT_FALSE(loop.health().connected);
    EXPECT_NE(loop.health().last_error.find("certificate verify failed"), std::string::npos)
        << loop.health().last_error;
  }
}

TEST(RedisTls, VerifiesTheHostName) {
  auto options = with_tls();
  options.tls_names = "DNS:localhost";
  RedisServer redis(options);
  auto settings = patient_settings("rediss://localhost:" + std::to_string(redis.tls_port()));
  settings.ca_file = redis.ca_file();
  StoreLoop named(settings);
  EXPECT_TRUE(named.wait_connected()) << named.health().last_error;

  settings.address = redis.tls_address();  // 127.0.0.1, which the certificate does not name
  StoreLoop numbered(settings);
  ASSERT_TRUE(numbered.wait_until([&] { return !numbered.health().last_error.empty(); }));
  EXPECT_FALSE(numbered.health().connected);
  EXPECT_NE(numbered.health().last_error.find("certificate verify failed"), std::string::npos)
      << numbered.health().last_error;
}

TEST(RedisTls, ToAServerWithoutItEndsWithinTheConnectTimeout) {
  RedisServer redis(with_tcp());
  StoreLoop loop(default_settings("rediss://127.0.0.1:" + std::to_string(redis.port())));
  ASSERT_TRUE(loop.wait_until([&] { return !loop.health().last_error.empty(); }, 5s));
  EXPECT_FALSE(loop.health().connected);
}

TEST(RedisTls, ComesBackAfterARestart) {
  RedisServer redis(with_tls());
  auto settings = patient_settings(redis.tls_address());
  settings.ca_file = redis.ca_file();
  StoreLoop loop(settings);
  ASSERT_TRUE(loop.wait_connected());
  redis.restart();
  loop.put({{"a", "1"}});
  EXPECT_TRUE(loop.wait_until(
      [&] {
        loop.put({{"a", "1"}});
        return loop.get_one("a") == "1";
      },
      kBackInUse))
      << loop.health().last_error;
}

TEST(RedisTls, RefusesACaFileThatCannotBeRead) {
  auto settings = default_settings("rediss://localhost");
  settings.ca_file = "/does/not/exist.pem";
  EXPECT_THROW(StoreLoop{settings}, std::invalid_argument);
  EXPECT_THROW(StoreLoop{default_settings("memcached://localhost")}, std::invalid_argument);
}

TEST(RedisStoreEnd, GivesEveryCallerAnAnswer) {
  RedisServer redis(with_tcp());
  StoreLoop loop(patient_settings(redis.tcp_address()));
  ASSERT_TRUE(loop.wait_connected());
  redis.freeze();
  std::vector<std::shared_ptr<StoreLoop::Ticket>> tickets;
  for (int i = 0; i < 20; ++i) tickets.push_back(loop.begin_get({"a", "b"}));
  loop.put({{"a", "1"}});
  // Some are in an exchange, some wait for a connection, one connection is being opened.
  loop.wait_until([] { return false; }, 50ms);
  loop.destroy_store();
  ASSERT_TRUE(loop.wait_until(
      [&] { return std::ranges::all_of(tickets, [](const auto& ticket) { return ticket->ended; }); }, 5s));
  for (const auto& ticket : tickets) EXPECT_EQ(ticket->values, Values(2));
}

TEST(RedisStoreEnd, MayComeBeforeACallHasBegun) {
  RedisServer redis;
  StoreLoop loop(patient_settings(redis.unix_address()));
  ASSERT_TRUE(loop.wait_connected());
  const auto ticket = loop.begin_get({"a"});
  loop.destroy_store();
  ASSERT_TRUE(loop.wait_until([&] { return ticket->ended; }, 5s));
  EXPECT_EQ(ticket->values, Values(1));
}

TEST(RedisStoreEnd, MayComeWithTheEventLoopMidFlight) {
  RedisServer redis(with_tls());
  redis.freeze();
  for (const bool is_tls : {false, true}) {
    auto settings = patient_settings(is_tls ? redis.tls_address() : redis.unix_address());
    settings.ca_file = redis.ca_file();
    StoreLoop connecting(settings);
    connecting.wait_until([] { return false; }, 20ms);
    connecting.destroy_loop();
  }
  redis.thaw();
  StoreLoop busy(patient_settings(redis.unix_address()));
  ASSERT_TRUE(busy.wait_connected());
  redis.freeze();
  std::vector<std::shared_ptr<StoreLoop::Ticket>> tickets;
  for (int i = 0; i < 20; ++i) tickets.push_back(busy.begin_get({"a"}));
  busy.put({{"a", "1"}});
  busy.wait_until([] { return false; }, 20ms);
  busy.destroy_loop();
  for (const auto& ticket : tickets) EXPECT_FALSE(ticket->ended);
}

TEST(RedisHealth, IsReadFromOtherThreads) {
  RedisServer redis(with_tcp());
  Callers::fill(redis);
  FaultGate gate(redis.port());
  StoreLoop loop(patient_settings("redis://127.0.0.1:" + std::to_string(gate.port())));
  Callers callers(loop);
  std::atomic<bool> ends{false};
  std::atomic<std::size_t> read{0};
  std::thread reader([&] {
    while (!ends) {
      const auto health = loop.health();
      read += health.last_error.size() + health.commands + 1;
    }
  });
  for (int round = 0; round < 3; ++round) {
    const auto before = callers.hits();
    EXPECT_TRUE(loop.wait_until([&] {
      callers.turn();
      return callers.hits() > before + 100;
    }));
    gate.cut();
  }
  EXPECT_TRUE(callers.finish());
  ends = true;
  reader.join();
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace tessera::test
