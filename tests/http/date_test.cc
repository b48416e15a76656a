#include "http/date.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

TEST(DateCache, WritesImfFixdate) {
  DateCache date;
  EXPECT_EQ(date.text(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.text(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date.text(951827696), "Tue, 29 Feb 2000 12:34:56 GMT");
}

TEST(DateCache, ChangesWithTheSecondAndNotBefore) {
  DateCache date;
  const auto first = date.text(59);
  EXPECT_EQ(first.data(), date.text(59).data());
  EXPECT_EQ(date.text(59), "Thu, 01 Jan 1970 00:00:59 GMT");
  EXPECT_EQ(date.text(60), "Thu, 01 Jan 1970 00:01:00 GMT");
}

}  // namespace
}  // namespace tessera::http
