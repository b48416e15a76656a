#include "origin/timestamp.h"

#include <gtest/gtest.h>

namespace tessera::origin {
namespace {

using std::chrono::microseconds;

Timestamp at(std::int64_t count) {
  return Timestamp{microseconds{count}};
}

TEST(OriginTimestamp, IsCutOffNeverRounded) {
  TimestampFormatter dates;
  const Timestamp time = at(1'562'697'013'999'999);  // 2019-07-09T18:30:13.999999Z
  EXPECT_EQ(dates.quoted(time, Precision::seconds), "\"2019-07-09T18:30:13Z\"");
  EXPECT_EQ(dates.quoted(time, Precision::milliseconds), "\"2019-07-09T18:30:13.999Z\"");
  EXPECT_EQ(dates.quoted(time, Precision::microseconds), "\"2019-07-09T18:30:13.999999Z\"");
}

TEST(OriginTimestamp, AlwaysShowsAllDigitsOfTheFraction) {
  TimestampFormatter dates;
  const Timestamp time = at(1'709'622'489'000'000);
  EXPECT_EQ(dates.quoted(time, Precision::milliseconds), "\"2024-03-05T07:08:09.000Z\"");
  EXPECT_EQ(dates.quoted(time + microseconds{7}, Precision::microseconds), "\"2024-03-05T07:08:09.000007Z\"");
}

TEST(OriginTimestamp, FollowsTheCalendarFromOneDayToAnother) {
  TimestampFormatter dates;
  EXPECT_EQ(dates.quoted(at(0), Precision::seconds), "\"1970-01-01T00:00:00Z\"");
  EXPECT_EQ(dates.quoted(at(-1), Precision::microseconds), "\"1969-12-31T23:59:59.999999Z\"");
  EXPECT_EQ(dates.quoted(at(1'709'164'800'000'000), Precision::seconds), "\"2024-02-29T00:00:00Z\"");
  EXPECT_EQ(dates.quoted(at(1'709'251'199'000'000), Precision::seconds), "\"2024-02-29T23:59:59Z\"");
  EXPECT_EQ(dates.quoted(at(1'709'251'200'000'000), Precision::seconds), "\"2024-03-01T00:00:00Z\"");
}

TEST(OriginTimestamp, StaysWithinFourDigitYears) {
  TimestampFormatter dates;
  EXPECT_EQ(dates.quoted(at(INT64_MAX), Precision::microseconds), "\"9999-12-31T23:59:59.999999Z\"");
  EXPECT_EQ(dates.quoted(at(INT64_MIN), Precision::microseconds), "\"0000-01-01T00:00:00.000000Z\"");
}

}  // namespace
}  // namespace tessera::origin
