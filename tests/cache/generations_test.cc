#include "cache/generations.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

TEST(Generations, KeepATokenCurrentUntilSomethingIsPurged) {
  Generations generations(2);
  const Generations::Token token = generations.take(1);
  EXPECT_TRUE(generations.route_is_current(token));
  EXPECT_TRUE(generations.is_current(token, "1"));
  EXPECT_TRUE(generations.nothing_purged_since(token));
}

TEST(Generations, PurgeOneRecordForOlderTokensOnly) {
  Generations generations(2);
  const Generations::Token before = generations.take(1);
  generations.purge_record(1, "7");
  const Generations::Token after = generations.take(1);
  EXPECT_FALSE(generations.is_current(before, "7"));
  EXPECT_TRUE(generations.is_current(before, "8"));
  EXPECT_TRUE(generations.route_is_current(before));
  EXPECT_FALSE(generations.nothing_purged_since(before));
  EXPECT_TRUE(generations.is_current(after, "7"));
  EXPECT_TRUE(generations.nothing_purged_since(after));
  generations.purge_record(1, "7");
  EXPECT_FALSE(generations.is_current(after, "7"));
}

TEST(Generations, PurgeARouteAndNoOther) {
  Generations generations(2);
  const Generations::Token first = generations.take(0);
  const Generations::Token second = generations.take(1);
  generations.purge_route(1);
  EXPECT_FALSE(generations.route_is_current(second));
  EXPECT_FALSE(generations.is_current(second, "1"));
  EXPECT_FALSE(generations.nothing_purged_since(second));
  EXPECT_TRUE(generations.is_current(first, "1"));
  EXPECT_TRUE(generations.route_is_current(generations.take(1)));
}

TEST(Generations, PurgeEverything) {
  Generations generations(3);
  std::vector<Generations::Token> tokens;
  for (std::uint32_t route = 0; route < 3; ++route) tokens.push_back(generations.take(route));
  generations.purge_everything();
  for (const Generations::Token& token : tokens) EXPECT_FALSE(generations.route_is_current(token));
}

TEST(Generations, RaiseTheRouteWhenTooManyRecordsWerePurged) {
  Generations generations(1);
  const Generations::Token before = generations.take(0);
  for (int i = 0; i < 4096; ++i) generations.purge_record(0, std::to_string(i));
  EXPECT_TRUE(generations.is_current(before, "other"));
  const Generations::Token between = generations.take(0);
  generations.purge_record(0, "one more");
  EXPECT_FALSE(generations.is_current(before, "other"));
  EXPECT_FALSE(generations.is_current(between, "one more"));
  EXPECT_FALSE(generations.is_current(before, "0"));
  EXPECT_TRUE(generations.is_current(generations.take(0), "0"));
}

TEST(Generations, RememberARecordThatIsPurgedAgainAtTheBound) {
  Generations generations(1);
  for (int i = 0; i < 4096; ++i) generations.purge_record(0, std::to_string(i));
  const Generations::Token token = generations.take(0);
  generations.purge_record(0, "5");
  EXPECT_TRUE(generations.route_is_current(token));
  EXPECT_FALSE(generations.is_current(token, "5"));
}

TEST(Generations, CountPurgesOfAllThreads) {
  Generations generations(1);
  const Generations::Token before = generations.take(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&generations, t] {
      for (int i = 0; i < 500; ++i) {
        const Generations::Token token = generations.take(0);
        const std::string id = std::to_string(t) + "/" + std::to_string(i);
        generations.purge_record(0, id);
        EXPECT_FALSE(generations.is_current(token, id));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(generations.is_current(before, "3/499"));
  EXPECT_EQ(generations.take(0).record_generation, 2000U);
}

}  // namespace
}  // namespace tessera::cache
