// A Redis that answers wrongly: errors, and what is no answer at all. Every get ends with the truth or with
// nothing.
#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/cache/redis/store_fault_rig.h"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

struct ErrorCase {
  const char* name;
  const char* reply;
  RemoteFault fault;
};

class RedisErrorAnswer : public testing::TestWithParam<ErrorCase> {};

INSTANTIATE_TEST_SUITE_P(
    All, RedisErrorAnswer,
    testing::Values(
        ErrorCase{"Loading", "-LOADING Redis is loading the dataset in memory\r\n", RemoteFault::loading},
        ErrorCase{"Busy", "-BUSY Redis is busy running a script.\r\n", RemoteFault::loading},
        ErrorCase{"Readonly", "-READONLY You can't write against a read only replica.\r\n",
                  RemoteFault::readonly},
        ErrorCase{"Oom", "-OOM command not allowed when used memory > 'maxmemory'.\r\n", RemoteFault::oom},
        ErrorCase{"Moved", "-MOVED 3999 127.0.0.1:6381\r\n", RemoteFault::moved},
        ErrorCase{"Crossslot", "-CROSSSLOT Keys in request don't hash to the same slot\r\n",
                  RemoteFault::moved},
        ErrorCase{"Noauth", "-NOAUTH Authentication required.\r\n", RemoteFault::misconfigured},
        ErrorCase{"Wrongtype", "-WRONGTYPE Operation against a key\r\n", RemoteFault::misconfigured},
        ErrorCase{"Misconf", "-MISCONF Redis is configured to save RDB snapshots\r\n",
                  RemoteFault::misconfigured}),
    [](const testing::TestParamInfo<ErrorCase>& error) { return std::string(error.param.name); });

TEST_P(RedisErrorAnswer, ToAGetIsAMissUnderItsReason) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] == "MGET" || command[0] == "GET") return Answer{GetParam().reply};
    return std::nullopt;
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  EXPECT_EQ(loop.get({"key"}), kNothing);
  EXPECT_EQ(loop.faults(GetParam().fault), 1u);
  EXPECT_EQ(sum_of_faults(loop), 1u);
  const std::string word(GetParam().reply + 1);
  EXPECT_NE(loop.health().last_error.find(word.substr(0, word.find(' '))), std::string::npos);

  redis.answer("MGET", one_value("hello"));
  if (GetParam().fault != RemoteFault::moved) {
    EXPECT_TRUE(loop.wait_value("key", "hello", 5s)) << loop.health().last_error;
  }
}

TEST_P(RedisErrorAnswer, ToAPutIsADroppedWriteUnderItsReason) {
  FakeRedis redis;
  redis.answer("SET", GetParam().reply);
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.put({{"a", "1"}, {"b", "2"}});
  ASSERT_TRUE(loop.wait_until([&] { return loop.health().writes_dropped == 2; }));
  EXPECT_EQ(loop.faults(GetParam().fault), 1u);
  EXPECT_EQ(sum_of_faults(loop), 1u);
}

TEST_P(RedisErrorAnswer, ToAPurgeMakesItUnset) {
  FakeRedis redis;
  redis.answer("SCAN", GetParam().reply);
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  EXPECT_EQ(loop.purge("courses"), std::nullopt);
  EXPECT_EQ(loop.faults(GetParam().fault), 1u);
}

TEST(RedisFault, OfATypeOtherThanReadonlyKeepsTheConnection) {
  FakeRedis redis;
  redis.answer("MGET", "-LOADING Redis is loading the dataset in memory\r\n");
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.get({"key"});
  redis.answer("MGET", one_value("hello"));
  EXPECT_EQ(loop.get_one("key"), "hello");
  EXPECT_EQ(redis.connections(), 1u);
}

TEST(RedisFault, ReadonlyReconnects) {
  FakeRedis redis;
  redis.answer("SET", "-READONLY You can't write against a read only replica.\r\n");
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.put({{"a", "1"}});
  ASSERT_TRUE(loop.wait_until([&] { return loop.health().reconnects == 1; }, 5s));
  EXPECT_EQ(redis.connections(), 2u);
  loop.put({{"b", "2"}});
  EXPECT_EQ(loop.health().writes_dropped, 2u) << "writes pause for a second";
  EXPECT_EQ(redis.count("SET"), 1u);
}

TEST(RedisFault, OomPausesWritesButNotReads) {
  FakeRedis redis;
  redis.answer("SET", "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  loop.put({{"a", "1"}});
  ASSERT_TRUE(loop.wait_until([&] { return loop.health().writes_dropped == 1; }));
  redis.answer("MGET", one_value("hello"));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(loop.get_one("key"), "hello");
  std::uint64_t puts = 1;
  // Until the pause is over every put is dropped without a word to Redis; then they go out again.
  ASSERT_TRUE(loop.wait_until(
      [&] {
        loop.put({{"b", "2"}});
        ++puts;
        return redis.count("SET") > 1;
      },
      5s));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 900ms);
  ASSERT_TRUE(loop.wait_until([&] { return loop.health().writes_dropped <= puts - 1; }));
  EXPECT_TRUE(loop.health().connected);
}

TEST(RedisFault, CrossslotTurnsToOneKeyACommandForGood) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] == "MGET") return Answer{"-CROSSSLOT Keys in request don't hash to the same slot\r\n"};
    if (command[0] == "GET" && command[1] == "elsewhere") return Answer{"-MOVED 1 127.0.0.1:6381\r\n"};
    if (command[0] == "GET") return Answer{"$5\r\nof " + command[1] + "\r\n"};
    return std::nullopt;
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  const Values expected{"of k1", "of k2"};
  EXPECT_EQ(loop.get({"k1", "k2"}), expected);
  EXPECT_EQ(sum_of_faults(loop), 0u) << "the fallback helped";
  EXPECT_EQ(loop.get({"k1", "k2"}), expected);
  EXPECT_EQ(redis.count("MGET"), 1u);
  EXPECT_EQ(redis.count("GET"), 4u);
  const Values partial{"of k1", std::nullopt};
  EXPECT_EQ(loop.get({"k1", "elsewhere"}), partial);
  EXPECT_EQ(loop.faults(RemoteFault::moved), 1u);
}

TEST(RedisFault, AnAnswerThatNobodyAskedForEndsTheConnection) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    const bool is_double = command[1] == "double";
    return Answer{one_value("value of " + command[1]) + (is_double ? one_value("value of nobody") : "")};
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  const auto value = loop.get_one("double");
  EXPECT_TRUE(value == std::nullopt || value == "value of double");
  for (int i = 0; i < 5; ++i) {
    const std::string key = "key " + std::to_string(i);
    EXPECT_TRUE(loop.wait_value(key, "value of " + key));
  }
  EXPECT_GE(redis.connections(), 2u);
}

struct Nonsense {
  const char* name;
  std::string bytes;
};

class RedisNonsense : public testing::TestWithParam<Nonsense> {};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

INSTANTIATE_TEST_SUITE_P(
    All, RedisNonsense,
    testing::Values(Nonsense{"Http", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"},
                    Nonsense{"ShortArray", "*1\r\n$1\r\nx\r\n"},
                    Nonsense{"LongArray", "*3\r\n$-1\r\n$-1\r\n$-1\r\n"}, Nonsense{"EmptyArray", "*0\r\n"},
                    Nonsense{"NullArray", "*-1\r\n"}, Nonsense{"Status", "+OK\r\n"},
                    Nonsense{"Bulk", "$1\r\nx\r\n"}, Nonsense{"Integers", "*2\r\n:1\r\n:2\r\n"},
                    Nonsense{"ErrorsWithin", "*2\r\n-ERR a\r\n-ERR b\r\n"},
                    Nonsense{"ArraysWithin", "*2\r\n*1\r\n$1\r\nx\r\n*1\r\n$1\r\nx\r\n"},
                    Nonsense{"TwoBillionElements", "*2147483647\r\n"},
                    Nonsense{"EightExabytes", "*2\r\n$9223372036854775807\r\n"},
                    Nonsense{"TwoThousandArrays", repeated("*1\r\n", 2'000)},
                    Nonsense{"EndlessLine", "+" + std::string(200'000, 'x')},
                    Nonsense{"Zeros", std::string(100, '\0')}),
    [](const testing::TestParamInfo<Nonsense>& nonsense) { return std::string(nonsense.param.name); });

// In KiB.
long memory(const std::string& what) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(what + ":")) return std::stol(line.substr(what.size() + 1));
  }
  return -1;
}

TEST_P(RedisNonsense, IsAMissAndTheConnectionGoes) {
  FakeRedis redis;
  redis.answer("MGET", GetParam().bytes);
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  const long address_space = memory("VmSize");
  const long resident = memory("VmHWM");
  const Values nothing(2);
  EXPECT_EQ(loop.get({"a", "b"}), nothing);
  EXPECT_EQ(loop.faults(RemoteFault::nonsense), 1u);
  EXPECT_EQ(sum_of_faults(loop), 1u);
  // Room for a thread's stack and arena in the fake.
  EXPECT_LT(memory("VmSize") - address_space, 256 << 10);
  EXPECT_LT(memory("VmHWM") - resident, 16 << 10);

  redis.answer("MGET", "*2\r\n$1\r\nx\r\n$1\r\ny\r\n");
  const Values expected{"x", "y"};
  EXPECT_TRUE(loop.wait_until(
      [&] {
        return loop.get({"a", "b"}) == expected;
      },
      5s))
      << loop.health().last_error;
  EXPECT_EQ(redis.connections(), 2u);
}

TEST_P(RedisNonsense, AsAGreetingIsNoConnection) {
  FakeRedis redis([](const Command& command) -> std::optional<Answer> {
    // An error or status is a greeting's answer, however odd.
    if (command[0] == "PING" && GetParam().bytes != "+OK\r\n") return Answer{GetParam().bytes};
    if (command[0] == "PING") return Answer{":1\r\n"};
    return std::nullopt;
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_until([&] { return loop.faults(RemoteFault::nonsense) >= 2; }))
      << loop.health().last_error;
  EXPECT_FALSE(loop.health().connected);
  EXPECT_EQ(loop.get_one("a"), std::nullopt);
  EXPECT_EQ(loop.faults(RemoteFault::unavailable), 1u);
}

TEST(RedisFault, RepliesAboveTheLimitMakeCommandsSmaller) {
  // 64 values of 2 MB are more than one reply may have; 8 are not.
  const std::string value(2'000'000, 'x');
  FakeRedis redis([&value](const Command& command) -> std::optional<Answer> {
    if (command[0] != "MGET") return std::nullopt;
    std::string answer = "*" + std::to_string(command.size() - 1) + "\r\n";
    for (std::size_t i = 1; i < command.size(); ++i) {
      answer += "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
    }
    return Answer{answer};
  });
  StoreLoop loop(patient_settings(redis.address()));
  ASSERT_TRUE(loop.wait_connected());
  std::vector<std::string> keys;
  for (int i = 0; i < 64; ++i) keys.push_back("key " + std::to_string(i));
  Values values;
  EXPECT_TRUE(loop.wait_until(
      [&] {
        values = loop.get(keys);
        return std::ranges::all_of(values, [](const auto& found) { return found.has_value(); });
      },
      60s))
      << loop.health().last_error;
  EXPECT_EQ(values.size(), 64u);
}

}  // namespace
}  // namespace tessera::test
