#include "cache/redis/backoff.h"

#include <gtest/gtest.h>

#include "cache/redis/write_queue.h"

namespace tessera::cache::redis {
namespace {

using namespace std::chrono_literals;

TEST(RedisBackoff, BeginsAtOnceAndDoublesToTwoSeconds) {
  Backoff backoff;
  for (const auto expected : {0ms, 100ms, 200ms, 400ms, 800ms, 1'600ms, 2'000ms, 2'000ms}) {
    EXPECT_EQ(backoff.next(), expected);
  }
}

TEST(RedisBackoff, StartsOverAfterAReset) {
  Backoff backoff;
  backoff.next();
  backoff.next();
  backoff.reset();
  EXPECT_EQ(backoff.next(), 0ms);
  EXPECT_EQ(backoff.next(), 100ms);
}

TEST(RedisTtl, VariesByTenPercentEitherWay) {
  EXPECT_EQ(jittered(1'000ms, 0.0), 900ms);
  EXPECT_EQ(jittered(1'000ms, 0.5), 1'000ms);
  EXPECT_EQ(jittered(1'000ms, 0.9999), 1'099ms);
}

TEST(RedisTtl, IsNeverNothing) {
  EXPECT_EQ(jittered(1ms, 0.0), 1ms);  // PX 0 is an error in Redis
}

}  // namespace
}  // namespace tessera::cache::redis
