#include "cache/racy.h"

#include <string>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

using namespace std::chrono_literals;

constexpr UtcTime kNoon = std::chrono::sys_days(std::chrono::year(2024) / 3 / 5) + 12h;

TEST(CoarseTimestamp, ReadsTimesWithFewerThanSixDigitsOfFraction) {
  const std::vector<std::pair<std::string, UtcTime>> table = {
      {"2024-03-05T12:00:00Z", kNoon},
      {"2024-03-05t12:00:00z", kNoon},
      {"2024-03-05 12:00:00", kNoon},
      {"2024-03-05T12:00:00", kNoon},
      {"2024-03-05 12:00:00 UTC", kNoon},
      {"2024-03-05 12:00:00 +0000", kNoon},
      {"2024-03-05 12:00:00 Z", kNoon},
      {"2024-03-05T12:00Z", kNoon},
      {"2024-03-05T14:30:00+02:30", kNoon},
      {"2024-03-05T14:30:00+0230", kNoon},
      {"2024-03-05T09:00:00-03", kNoon},
      {"2024-03-06T01:00:00+13:00", kNoon},
      {"2024-03-05T12:00:00.1Z", kNoon + 100ms},
      {"2024-03-05T12:00:00.123Z", kNoon + 123ms},
      {"2024-03-05T12:00:00,123Z", kNoon + 123ms},
      {"2024-03-05T12:00:00.12345Z", kNoon + 123450us},
      {"2024-03-05T11:59:60Z", kNoon},
      {"2024-03-05", kNoon - 12h},
      {"1709640000", kNoon},
      {"1709640000123", kNoon + 123ms},
      {"1709640000.123", kNoon + 123ms},
      {"1709640000.12345", kNoon + 123450us},
  };
  for (const auto& [text, time] : table) EXPECT_EQ(coarse_timestamp(text), time) << text;
}

TEST(CoarseTimestamp, IsUnsetForEverythingElse) {
  for (const char* text : {"",
                           "1",
                           "v1",
                           "W/\"abc\"",
                           "2024-03-05T12:00:00.123456Z",
                           "2024-03-05T12:00:00.123456789Z",
                           "2024-03-05 12:00:00.000000",
                           "2024-02-30T12:00:00Z",
                           "2024-13-05T12:00:00Z",
                           "2024-03-05T25:00:00Z",
                           "2024-03-05T12:60:00Z",
                           "2024-03-05T12:00:61Z",
                           "2024-03-05T12:00:00.Z",
                           "2024-03-05T12:00:00+",
                           "2024-03-05T12:00:00+1",
                           "2024-03-05T12:00:00+02:",
                           "2024-03-05T12:00:00+02:60",
                           "2024-03-05T12:00:00Zx",
                           "2024-03-05T12:00:00Z ",
                           " 2024-03-05T12:00:00Z",
                           "2024-03-05T",
                           "2024-03-05T12",
                           "2024-3-5T12:00:00Z",
                           "20240305T120000Z",
                           "2024-03-05X12:00:00Z",
                           "2024-03-05T12:00:00Z-7",
                           "170964000",
                           "17096400001",
                           "170964000012",
                           "17096400001234",
                           "1709640000123456",
                           "-1709640000",
                           "1709640000.",
                           "1709640000.123456",
                           "1709640000.1x",
                           "1709640000123.5",
                           "0x12345678",
                           "ab12345678",
                           "2024-",
                           "20240000-0"}) {
    EXPECT_EQ(coarse_timestamp(text), std::nullopt) << text;
  }
}

TEST(IsRacy, HoldsUntilTheOriginsClockIsPastTheSettlingTime) {
  const std::string version = "2024-03-05T12:00:00Z";
  EXPECT_TRUE(is_racy(version, kNoon - 1h, 2s));
  EXPECT_TRUE(is_racy(version, kNoon, 2s));
  EXPECT_TRUE(is_racy(version, kNoon + 2s, 2s));
  EXPECT_FALSE(is_racy(version, kNoon + 3s, 2s));
  EXPECT_FALSE(is_racy(version, kNoon + 1h, 2s));
}

TEST(IsRacy, CountsFromTheVersionsOwnFraction) {
  EXPECT_TRUE(is_racy("2024-03-05T12:00:00.500Z", kNoon + 2500ms, 2s));
  EXPECT_FALSE(is_racy("2024-03-05T12:00:00.500Z", kNoon + 2501ms, 2s));
}

TEST(IsRacy, HoldsAtLeastForTheSecondItselfWithoutASettlingTime) {
  EXPECT_TRUE(is_racy("2024-03-05T12:00:00Z", kNoon, 0s));
  EXPECT_FALSE(is_racy("2024-03-05T12:00:00Z", kNoon + 1s, 0s));
}

TEST(IsRacy, HoldsForTheWholeMinuteOrDayThatIsMeant) {
  EXPECT_TRUE(is_racy("2024-03-05T12:00Z", kNoon + 61s, 2s));
  EXPECT_FALSE(is_racy("2024-03-05T12:00Z", kNoon + 62s, 2s));
  EXPECT_TRUE(is_racy("2024-03-05", kNoon + 23h, 2s));
  EXPECT_FALSE(is_racy("2024-03-05", kNoon + 25h, 2s));
}

TEST(IsRacy, ExemptsFineTimestampsAndOtherTokens) {
  EXPECT_FALSE(is_racy("2024-03-05T12:00:00.000000Z", kNoon, 2s));
  EXPECT_FALSE(is_racy("17", kNoon, 2s));
}

}  // namespace
}  // namespace tessera::cache
