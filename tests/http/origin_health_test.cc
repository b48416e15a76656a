#include "http/origin_health.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using State = OriginHealth::State;

constexpr OriginHealth::Now kStart{1000h};

TEST(OriginHealth, IsUpUntilItIsEjectedAndAgainAfterwards) {
  OriginHealth health;
  EXPECT_EQ(health.state(kStart), State::up);
  EXPECT_TRUE(health.eject(kStart, 10s));
  EXPECT_EQ(health.state(kStart + 10s - 1ms), State::ejected);
  EXPECT_EQ(health.state(kStart + 10s), State::up);
}

TEST(OriginHealth, CountsFailuresInARow) {
  OriginHealth health;
  EXPECT_FALSE(health.answered());
  EXPECT_EQ(health.failed(), 1u);
  EXPECT_EQ(health.failed(), 2u);
  EXPECT_TRUE(health.answered());
  EXPECT_FALSE(health.answered());
  EXPECT_EQ(health.failed(), 1u);
}

TEST(OriginHealth, DoublesTheEjectionEachTimeInARowUpToAMinute) {
  OriginHealth health;
  auto now = kStart;
  health.failed();
  for (const auto expected : {10s, 20s, 40s, 60s, 60s}) {
    ASSERT_TRUE(health.eject(now, 10s));
    EXPECT_EQ(health.state(now + expected - 1ms), State::ejected) << expected.count();
    EXPECT_EQ(health.state(now + expected), State::up) << expected.count();
    now += expected;
  }
  health.answered();
  ASSERT_TRUE(health.eject(now, 10s));
  EXPECT_EQ(health.state(now + 10s), State::up);
}

TEST(OriginHealth, IsEjectedOnceHoweverManyNoticeAtATime) {
  OriginHealth health;
  EXPECT_TRUE(health.eject(kStart, 10s));
  EXPECT_FALSE(health.eject(kStart + 1s, 10s));
  EXPECT_EQ(health.state(kStart + 10s), State::up);
}

TEST(OriginHealth, RestsAsLongAsItWasAskedToButAMinuteAtMost) {
  OriginHealth health;
  health.rest(kStart, 3s);
  EXPECT_EQ(health.state(kStart + 2s), State::resting);
  EXPECT_EQ(health.state(kStart + 3s), State::up);
  health.rest(kStart + 3s, std::chrono::seconds(2'147'483'648));
  EXPECT_EQ(health.state(kStart + 62s), State::resting);
  EXPECT_EQ(health.state(kStart + 63s), State::up);
}

TEST(OriginHealth, TakesSeveralChecksInARowToChangeItsMind) {
  OriginHealth health;
  EXPECT_FALSE(health.checked(false, 2, 3));
  EXPECT_FALSE(health.checked(false, 2, 3));
  EXPECT_FALSE(health.checked(true, 2, 3));  // not in a row
  EXPECT_FALSE(health.checked(false, 2, 3));
  EXPECT_FALSE(health.checked(false, 2, 3));
  EXPECT_EQ(health.state(kStart), State::up);
  EXPECT_TRUE(health.checked(false, 2, 3));
  EXPECT_EQ(health.state(kStart), State::unhealthy);
  EXPECT_FALSE(health.checked(true, 2, 3));
  EXPECT_EQ(health.state(kStart), State::unhealthy);
  EXPECT_TRUE(health.checked(true, 2, 3));
  EXPECT_EQ(health.state(kStart), State::up);
}

}  // namespace
}  // namespace tessera::http
