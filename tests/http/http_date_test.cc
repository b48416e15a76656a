#include "http/http_date.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr auto at(std::int64_t since_1970) {
  return system_clock::time_point(seconds(since_1970));
}

TEST(HttpDate, ReadsAllThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), at(784'111'777));
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), at(784'111'777));
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994"), at(784'111'777));
  EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994"), at(784'975'777));
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), at(0));
  EXPECT_EQ(parse_http_date("Tue, 29 Feb 2000 23:59:59 GMT"), at(951'868'799));
  EXPECT_EQ(parse_http_date("Tue, 19 Jan 2038 03:14:08 GMT"), at(2'147'483'648));
}

TEST(HttpDate, CountsALeapSecondIntoTheNextMinute) {
  EXPECT_EQ(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT"),
            parse_http_date("Sun, 01 Jan 2017 00:00:00 GMT"));
}

TEST(HttpDate, PlacesTwoDigitYearsBetween1970And2069) {
  EXPECT_EQ(parse_http_date("Thursday, 01-Jan-70 00:00:00 GMT"), at(0));
  EXPECT_EQ(parse_http_date("Tuesday, 01-Jan-69 00:00:00 GMT"),
            parse_http_date("Tue, 01 Jan 2069 00:00:00 GMT"));
  EXPECT_EQ(parse_http_date("Tuesday, 01-Jan-19 00:00:00 GMT"),
            parse_http_date("Tue, 01 Jan 2019 00:00:00 GMT"));
}

TEST(HttpDate, RefusesEverythingElse) {
  for (const std::string_view text : {"",
                                      "0",
                                      "now",
                                      "1994-11-06T08:49:37Z",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      " Sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "sun, 06 nov 1994 08:49:37 gmt",
                                      "Sun, 06 Nov 1994 24:00:00 GMT",
                                      "Sun, 06 Nov 1994 08:60:00 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 31 Nov 1994 08:49:37 GMT",
                                      "Sun, 29 Feb 1900 08:49:37 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nox 1994 08:49:37 GMT",
                                      "Xyz, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 94 08:49:37 GMT",
                                      "Sun, 06-Nov-94 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "Sun Nov 6 08:49:37 1994",
                                      "Sun Nov  6 08:49:37 94",
                                      "Sun, 06 Nov 9999 08:49:37 GMT",
                                      "Sun, 06 Nov 0001 08:49:37 GMT",
                                      "Sun, +6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov -994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 GMT\x01"}) {
    EXPECT_FALSE(parse_http_date(text)) << text;
  }
}

TEST(HttpDate, RefusesEveryDateThatIsCutShort) {
  for (const std::string_view text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    for (std::size_t length = 0; length < text.size(); ++length) {
      EXPECT_FALSE(parse_http_date(text.substr(0, length))) << text.substr(0, length);
    }
  }
}

}  // namespace
}  // namespace tessera::http
