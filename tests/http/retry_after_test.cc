#include "http/retry_after.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

// Sun, 06 Nov 1994 08:49:37 GMT
constexpr system_clock::time_point kNow{seconds(784'111'777)};

std::optional<seconds> after(std::string_view value, system_clock::time_point now = kNow) {
  Fields fields;
  fields.set("Retry-After", value);
  return retry_after(fields, now);
}

TEST(RetryAfter, ReadsSecondsAndDates) {
  EXPECT_EQ(after("120"), seconds(120));
  EXPECT_EQ(after("0"), seconds(0));
  EXPECT_EQ(after("99999999999999999999"), seconds(2'147'483'648));
  EXPECT_EQ(after("Sun, 06 Nov 1994 08:50:37 GMT"), seconds(60));
  EXPECT_EQ(after("Sunday, 06-Nov-94 08:50:37 GMT"), seconds(60));
  EXPECT_EQ(after("Sun, 06 Nov 1994 08:49:37 GMT"), seconds(0));
  EXPECT_EQ(after("Sun, 06 Nov 1993 08:49:37 GMT"), seconds(0));
  for (const std::string_view value : {"", "-1", "1.5", "soon", "120 s"})
    EXPECT_EQ(after(value), std::nullopt) << value;
  EXPECT_EQ(retry_after({}, kNow), std::nullopt);
}

TEST(RetryAfter, IsNeverShorterThanTheDateAsks) {
  EXPECT_EQ(after("Sun, 06 Nov 1994 08:49:38 GMT", kNow + std::chrono::milliseconds(1)), seconds(1));
}

}  // namespace
}  // namespace tessera::http
