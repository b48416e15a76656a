#include "proxy/response_fields.h"

#include <initializer_list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

http::Fields fields_of(std::initializer_list<http::Field> lines) {
  http::Fields fields;
  for (const auto& line : lines) EXPECT_TRUE(fields.add(line.name, line.value));
  return fields;
}

std::vector<std::string> lines_of(const http::Fields& fields) {
  std::vector<std::string> lines;
  for (const auto& line : fields) lines.push_back(line.name + ": " + line.value);
  return lines;
}

TEST(ClientFields, LeavesOutWhatSpeaksOfTheManifestsBytes) {
  for (const std::string name : {"ETag",
                                 "Last-Modified",
                                 "Content-Type",
                                 "Content-Length",
                                 "Content-Encoding",
                                 "Content-Language",
                                 "Content-Location",
                                 "Content-Range",
                                 "Content-MD5",
                                 "Content-Disposition",
                                 "Accept-Ranges",
                                 "Digest",
                                 "Repr-Digest",
                                 "Content-Digest",
                                 "Want-Digest",
                                 "Want-Repr-Digest",
                                 "Want-Content-Digest",
                                 "Age",
                                 "Vary",
                                 "Date",
                                 "Tessera-Revision",
                                 "Transfer-Encoding",
                                 "Trailer",
                                 "Connection",
                                 "Keep-Alive",
                                 "Upgrade",
                                 "etag",
                                 "content-TYPE"}) {
    EXPECT_THAT(client_fields(fields_of({{name, "x"}}), "/a", "/a"), IsEmpty()) << name;
  }
}

TEST(ClientFields, KeepsWhatIsAliveInItsOrder) {
  const auto fields = fields_of({{"Set-Cookie", "a=1"},
                                 {"Access-Control-Allow-Origin", "https://a.example"},
                                 {"Content-Type", "application/vnd.tessera.manifest+json"},
                                 {"Set-Cookie", "b=2"},
                                 {"X-RateLimit-Remaining", "7"},
                                 {"Cache-Control", "no-cache"},
                                 {"X-Total-Count", "42"},
                                 {"Content-Security-Policy", "default-src 'none'"},
                                 {"Link", "</m?page=2>; rel=next"}});
  EXPECT_THAT(
      lines_of(client_fields(fields, "/m", "/m")),
      ElementsAre("Set-Cookie: a=1", "Access-Control-Allow-Origin: https://a.example", "Set-Cookie: b=2",
                  "X-RateLimit-Remaining: 7", "Cache-Control: no-cache", "X-Total-Count: 42",
                  "Content-Security-Policy: default-src 'none'", "Link: </m?page=2>; rel=next"));
}

TEST(ClientFields, LeavesOutWhatConnectionNames) {
  const auto fields = fields_of({{"Connection", "X-Hop, Set-Cookie"}, {"X-Hop", "1"}, {"Set-Cookie", "a=1"}});
  EXPECT_THAT(lines_of(client_fields(fields, "/m", "/m")), ElementsAre("Set-Cookie: a=1"));
}

TEST(ClientFields, RewritesEveryLinkLine) {
  const auto fields = fields_of({{"Link", "</m?page=2>; rel=next"}, {"link", "</m?page=1>; rel=first"}});
  EXPECT_THAT(lines_of(client_fields(fields, "/m", "/courses")),
              ElementsAre("Link: </courses?page=2>; rel=next", "link: </courses?page=1>; rel=first"));
}

TEST(MergedVary, NamesEachFieldOnce) {
  struct Row {
    std::initializer_list<http::Field> manifest;
    std::vector<std::string> records;
    std::string merged;
  };
  const Row rows[] = {
      {{}, {}, "Accept-Encoding"},
      {{{"Vary", "Accept"}}, {}, "Accept, Accept-Encoding"},
      {{{"Vary", "Accept, Origin"}},
       {"accept-language", "origin"},
       "Accept, Origin, accept-language, Accept-Encoding"},
      {{{"Vary", "accept-encoding"}, {"vary", "ACCEPT"}}, {"accept"}, "accept-encoding, ACCEPT"},
      {{{"Vary", " , a,,A "}}, {"a"}, "a, Accept-Encoding"},
      {{{"Vary", "Accept, *"}}, {}, "*"},
      {{{"Vary", "Accept"}}, {"*"}, "*"},
  };
  for (const auto& row : rows) EXPECT_EQ(merged_vary(fields_of(row.manifest), row.records), row.merged);
}

TEST(VaryNames, AreSortedLowerCaseAndUnique) {
  EXPECT_THAT(vary_names({}), IsEmpty());
  EXPECT_THAT(vary_names(fields_of({{"Vary", "Origin, Accept"}, {"VARY", "accept,, X-b"}})),
              ElementsAre("accept", "origin", "x-b"));
  EXPECT_THAT(vary_names(fields_of({{"Vary", "Origin"}, {"Vary", "*"}})), ElementsAre("*", "origin"));
}

TEST(ManifestFreshness, IsWhatCacheControlSaysBeyondDoubt) {
  struct Row {
    std::string cache_control;
    std::int64_t seconds;
  };
  const Row rows[] = {
      {"max-age=60", 60},
      {"MAX-AGE=60", 60},
      {"private, max-age=60", 60},
      {"max-age=\"60\"", 60},
      {"max-age=60, s-maxage=5", 5},
      {"s-maxage=5, max-age=60", 5},
      {"s-maxage=0, max-age=60", 0},
      {"max-age=60, max-age=60", 60},
      {"max-age=60, must-revalidate, stale-if-error=10", 60},
      {"max-age=007", 7},
      {"max-age=99999999999999999999", 2'147'483'648},
      {"ext=\"no-cache, max-age=1\", max-age=60", 60},
      {"max-age=60, max-age=61", 0},
      {"max-age=61, max-age=60, max-age=60", 0},
      {"max-age=60, s-maxage=x", 0},
      {"max-age=60, no-cache", 0},
      {"max-age=60, no-cache=\"Set-Cookie\"", 0},
      {"max-age=60, No-Store", 0},
      {"no-cache", 0},
      {"", 0},
      {"public", 0},
      {"max-age", 0},
      {"max-age=", 0},
      {"max-age=-1", 0},
      {"max-age=+1", 0},
      {"max-age=1.5", 0},
      {"max-age= 60", 0},
      {"max-age =60", 0},
      {"max-age=6 0", 0},
      {"max-age=60s", 0},
      {"max-age=\"60", 0},
      {"max-age='60'", 0},
      {"max-age=x, max-age=60", 0},
      {"max-age=60; no-cache", 0},
      {"xmax-age=60", 0},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", row.cache_control}})), seconds(row.seconds))
        << row.cache_control;
  }
  EXPECT_EQ(manifest_freshness({}), seconds(0));
}

TEST(ManifestFreshness, JoinsRepeatedLines) {
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"cache-control", "no-cache"}})),
            seconds(0));
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"Cache-Control", "max-age=61"}})),
            seconds(0));
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "private"}, {"Cache-Control", "max-age=60"}})),
            seconds(60));
}

TEST(ManifestFreshness, TakesOffTheAgeThatACacheInBetweenReports) {
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"Age", "10"}})), seconds(50));
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"Age", "60"}})), seconds(0));
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"Age", "100"}})), seconds(0));
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"Age", "-1"}})), seconds(0));
  EXPECT_EQ(manifest_freshness(fields_of({{"Cache-Control", "max-age=60"}, {"Age", "1"}, {"Age", "2"}})),
            seconds(0));
}

TEST(HttpDateField, IsReadWhenItStandsOnce) {
  const std::string date = "Sun, 06 Nov 1994 08:49:37 GMT";
  EXPECT_EQ(http_date(fields_of({{"date", date}}), "Date"), system_clock::time_point(seconds(784'111'777)));
  EXPECT_EQ(http_date(fields_of({{"Date", date}, {"Date", date}}), "Date"), std::nullopt);
  EXPECT_EQ(http_date(fields_of({{"Date", "0"}}), "Date"), std::nullopt);
  EXPECT_EQ(http_date(fields_of({{"Expires", date}}), "Date"), std::nullopt);
}

}  // namespace
}  // namespace tessera::proxy
