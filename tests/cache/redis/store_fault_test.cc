// A Redis that answers late, in part or not at all: every get still ends in time, with the truth or with
// nothing.
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/cache/redis/store_fault_rig.h"
#include "tests/support/fault_gate.h"
#include "tests/support/redis_server.h"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

TEST(RedisFault, LateAnswersNeverReachTheNextCommand) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    Answer answer{one_value("value of " + command[1])};
    if (command[1] == "slow") answer.delay = 150ms;
    return answer;
  });
  StoreLoop loop(default_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  for (int round = 1; round <= 3; ++round) {
    const auto slow = loop.begin_get({"slow"});
    ASSERT_TRUE(loop.wait_until([&] { return slow->ended; }));
    EXPECT_EQ(slow->values, kNothing);
    EXPECT_GE(slow->took, 50ms);
    EXPECT_EQ(loop.faults(RemoteFault::timeout), static_cast<std::uint64_t>(round));
    std::optional<std::string> value;
    ASSERT_TRUE(loop.wait_until([&] { return (value = loop.get_one("fast")).has_value(); }));
    EXPECT_EQ(value, "value of fast");
  }
}

TEST(RedisFault, ABrokenConnectionStillGivesWhatHasCome) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    if (command[1] == "a") return Answer{one_value("1")};
    Answer cut{"*1\r\n$5\r\nhel"};
    cut.close = true;
    return cut;
  });
  auto settings = patient_settings(redis.address());
  settings.keys_per_command = 1;
  StoreLoop loop(settings);
  ASSERT_TRUE(loop.wait_connected());
  const Values expected{"1", std::nullopt, std::nullopt};
  EXPECT_EQ(loop.get({"a", "b", "c"}), expected);
  EXPECT_EQ(loop.faults(RemoteFault::disconnected), 1u);
}

TEST(RedisFault, WhileLoadingIsNoConnectionButEndsByItself) {
  FakeRedis redis;
  redis.answer("PING", "-LOADING Redis is loading the dataset in memory\r\n");
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_until([&] { return loop.faults(RemoteFault::loading) >= 2; }));
  EXPECT_FALSE(loop.health().connected);
  EXPECT_EQ(loop.get_one("a"), std::nullopt);
  redis.answer("MGET", one_value("1"));
  EXPECT_TRUE(loop.wait_value("a", "1", 5s));
}

TEST(RedisFault, AnIdleConnectionThatTheServerClosedCostsNoMiss) {
  FakeRedis redis;
  redis.answer("MGET", one_value("1"));
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  for (std::size_t round = 2; round < 7; ++round) {
    redis.close_connections();
    EXPECT_EQ(loop.get_one("a"), "1");
  }
  EXPECT_EQ(loop.faults(RemoteFault::unavailable), 0u);
}

TEST(RedisFault, AServerThatAcceptsAndThenFailsIsNotStormed) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    Answer close;
    close.close = true;
    return close;
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.wait_until([&] { return loop.get_one("a").has_value(); }, 1s);
  // At once, then after 100, 200, 400 and 800 ms.
  EXPECT_LE(redis.connections(), 6u);
  EXPECT_GE(redis.connections(), 3u);
}

TEST(RedisFault, ASlowServerCostsOneTimeoutAndNotOnePerRequest) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    Answer late{one_value("1")};
    late.delay = 5s;
    return late;
  });
  StoreLoop loop(default_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  std::vector<std::shared_ptr<StoreLoop::Ticket>> tickets;
  for (int i = 0; i < 200; ++i) {
    tickets.push_back(loop.begin_get({"a"}));
    ASSERT_TRUE(loop.wait_until([&] { return tickets.back()->ended; }));
  }
  EXPECT_LE(loop.faults(RemoteFault::timeout), 4u);
  EXPECT_EQ(loop.faults(RemoteFault::timeout) + loop.faults(RemoteFault::unavailable), 200u);
}

TEST(RedisFault, AWaitForAConnectionDoesNotBlameRedis) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    Answer late{one_value("1")};
    late.delay = 600ms;
    return late;
  });
  auto settings = patient_settings(redis.address());
  settings.command_timeout = 1s;
  settings.max_connections = 1;
  StoreLoop loop(settings);
  ASSERT_TRUE(loop.wait_connected());
  const auto first = loop.begin_get({"a"});
  const auto second = loop.begin_get({"a"});
  const auto third = loop.begin_get({"a"});
  ASSERT_TRUE(loop.wait_until([&] { return first->ended && second->ended && third->ended; }));
  EXPECT_EQ(first->values, Values{"1"});
  EXPECT_EQ(second->values, Values{"1"}) << "600 ms of waiting do not shorten its own time";
  EXPECT_EQ(third->values, kNothing) << "the connection was not free within a second";
  EXPECT_EQ(loop.faults(RemoteFault::timeout), 1u);
  EXPECT_EQ(sum_of_faults(loop), 1u);
  EXPECT_EQ(redis.connections(), 1u);
}

TEST(RedisFault, ADeadlineOfTheCallersOwnDoesNotBlameRedis) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    Answer late{one_value("1")};
    if (command[1] == "slow") late.delay = 100ms;
    return late;
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  EXPECT_EQ(loop.get({"slow"}, 20ms), kNothing);
  EXPECT_EQ(loop.faults(RemoteFault::timeout), 1u);
  EXPECT_TRUE(loop.health().connected);
  EXPECT_EQ(loop.get_one("fast"), "1");
  EXPECT_EQ(loop.get({"fast"}, -1s), kNothing) << "a deadline that has passed already";
}

TEST(RedisFault, ACancelledGetEndsAtOnceAndHarmsNobody) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    Answer answer{one_value("value of " + command[1])};
    if (command[1] == "slow") answer.delay = 10s;
    return answer;
  });
  auto settings = patient_settings(redis.address());
  settings.max_connections = 1;
  StoreLoop loop(settings);
  ASSERT_TRUE(loop.wait_connected());
  const auto slow = loop.begin_get({"slow"});
  const auto waiting = loop.begin_get({"waits for the connection, then leaves"});
  const auto patient = loop.begin_get({"waits"});
  ASSERT_TRUE(loop.wait_until([&] { return redis.count("MGET") == 1 && waiting->begun && patient->begun; }));
  waiting->cancel();
  ASSERT_TRUE(loop.wait_until([&] { return waiting->ended; }, 5s));
  EXPECT_TRUE(waiting->threw);
  slow->cancel();
  ASSERT_TRUE(loop.wait_until([&] { return slow->ended && patient->ended; }, 5s));
  EXPECT_TRUE(slow->threw);
  EXPECT_EQ(patient->values, Values{"value of waits"});
  EXPECT_TRUE(loop.health().connected);
  EXPECT_EQ(sum_of_faults(loop), 0u);
}

TEST(RedisFault, WritesWithoutRedisAreDroppedAndCounted) {
  RedisServer redis;
  StoreLoop loop(default_settings(redis.unix_address()));
  ASSERT_TRUE(loop.wait_connected());
  redis.kill();
  ASSERT_TRUE(loop.wait_until([&] { return !loop.get_one("a") && !loop.health().connected; }));
  const auto before = loop.health().writes_dropped;
  loop.put({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(loop.health().writes_dropped - before, 2u);
}

TEST(RedisFault, TheWriteQueueIsBounded) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "SET") return std::nullopt;
    Answer late{"+OK\r\n"};
    late.delay = 10s;
    return late;
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  const std::string value(1 << 20, 'v');
  for (int i = 0; i < 100; ++i) loop.put({{"key", value}});
  EXPECT_GE(loop.health().writes_dropped, 30u);
  EXPECT_LE(loop.health().writes_dropped, 40u);
}

// The failure matrix: the connection is reset after every number of bytes, in either direction.
TEST(RedisFault, ACutAfterAnyByteGivesTheTruthOrNothing) {
  RedisServer::Options options;
  options.tcp = true;
  RedisServer redis(options);
  redis.command({"SET", "a", "value of a"});
  redis.command({"SET", "b", "value of b"});
  FaultGate gate(redis.port());
  auto settings = patient_settings("redis://127.0.0.1:" + std::to_string(gate.port()));
  settings.keys_per_command = 1;
  const std::string truth[] = {"value of a", "value of b"};
  std::size_t answered = 0;
  std::size_t missed = 0;
  for (const bool to_client : {true, false}) {
    for (std::size_t cut = 0; cut <= 150; cut += 4) {
      FaultGate::Fault fault;
      fault.cut_after = cut;
      gate.pass();
      to_client ? gate.to_client(fault) : gate.to_server(fault);
      StoreLoop loop(settings);
      loop.wait_until([&] { return loop.health().connected || !loop.health().last_error.empty(); });
      const Values values = loop.get({"a", "b"});
      ASSERT_EQ(values.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(values[i].value_or(truth[i]), truth[i]) << cut;
        ++(values[i] ? answered : missed);
      }
      gate.pass();
      ASSERT_TRUE(loop.wait_value("a", "value of a", 5s)) << cut << ": " << loop.health().last_error;
    }
  }
  EXPECT_GT(answered, 10u);
  EXPECT_GT(missed, 10u);
}

// A flipped byte may be in a value, where the value's own checksum finds it; elsewhere it must not hang or
// harm.
TEST(RedisFault, AFlippedByteAnywhereIsSurvived) {
  RedisServer::Options options;
  options.tcp = true;
  RedisServer redis(options);
  redis.command({"SET", "a", "value of a"});
  FaultGate gate(redis.port());
  auto settings = default_settings("redis://127.0.0.1:" + std::to_string(gate.port()));
  for (std::size_t at = 0; at < 40; ++at) {
    FaultGate::Fault fault;
    fault.corrupt_at = at;
    gate.to_client(fault);
    StoreLoop loop(settings);
    loop.wait_until([&] { return loop.health().connected || !loop.health().last_error.empty(); });
    const Values values = loop.get({"a", "b"});
    ASSERT_EQ(values.size(), 2u);
    gate.pass();
    ASSERT_TRUE(loop.wait_value("a", "value of a", 5s)) << at << ": " << loop.health().last_error;
  }
}

}  // namespace
}  // namespace tessera::test
