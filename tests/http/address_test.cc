#include <gtest/gtest.h>

#include "http/origin.h"
#include "http/server.h"

namespace tessera::http {
namespace {

TEST(ParseAddress, TakesNamesAndBothKindsOfAddress) {
  const auto v4 = parse_address("127.0.0.1:8080");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 8080);
  const auto v6 = parse_address("[::1]:0");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 0);
  EXPECT_EQ(parse_address("localhost:65535")->host, "localhost");
}

TEST(ParseAddress, RefusesEverythingElse) {
  for (const auto* text : {"", ":", ":80", "a:", "a", "a:b", "a:65536", "a:-1", "a: 80", "a:80 ", "::1:80",
                           "[::1]80", "[::1]", "[]:80", "a b:80", "u@a:80", "a/b:80", "[::g]:80"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(ParseAddress, IsUndoneByToString) {
  for (const auto* text : {"127.0.0.1:1", "[::1]:8080", "localhost:80"}) {
    EXPECT_EQ(to_string(*parse_address(text)), text);
  }
}

TEST(ParseOrigin, TakesHostAndPort) {
  const auto origin = parse_origin("http://api.example.com:3042");
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->host, "api.example.com");
  EXPECT_EQ(origin->port, 3042);
  EXPECT_EQ(origin->authority(), "api.example.com:3042");
  EXPECT_EQ(parse_origin("HTTP://a/")->authority(), "a");
  EXPECT_EQ(parse_origin("http://a:80")->authority(), "a");
  EXPECT_EQ(parse_origin("http://a:443")->authority(), "a:443");
  EXPECT_EQ(parse_origin("https://a")->port, 443);
  EXPECT_EQ(parse_origin("HTTPS://a:443")->authority(), "a");
  EXPECT_EQ(parse_origin("https://a:80")->authority(), "a:80");
  EXPECT_EQ(parse_origin("http://[::1]:81")->host, "::1");
  EXPECT_EQ(parse_origin("http://[::1]:81")->authority(), "[::1]:81");
}

TEST(ParseOrigin, TakesUnixSockets) {
  const auto origin = parse_origin("unix:///run/a%20b?.sock");
  ASSERT_TRUE(origin);
  EXPECT_TRUE(origin->is_unix());
  EXPECT_EQ(origin->host, "/run/a%20b?.sock");
  EXPECT_EQ(origin->authority(), "localhost");
  EXPECT_EQ(origin->name(), "unix:///run/a%20b?.sock");
  EXPECT_EQ(parse_origin("http://a:81")->name(), "a:81");
  for (const std::string& url :
       {std::string("unix://run/a"), std::string("unix:///"), "unix:///" + std::string(107, 'a')}) {
    EXPECT_TRUE(parse_origin(url).has_error()) << url;
  }
}

TEST(ParseOrigin, SaysWhatIsWrong) {
  EXPECT_NE(parse_origin("http://a/path").error().find("must end after"), std::string::npos);
  EXPECT_NE(parse_origin("ftp://a").error().find("scheme"), std::string::npos);
  for (const auto* url : {"", "a:80", "http://", "http://u:p@a", "http://a?x", "http://a#x", "http://a:99999",
                          "http://a:0", "http:///", "127.0.0.1:3042"}) {
    EXPECT_TRUE(parse_origin(url).has_error()) << url;
  }
}

}  // namespace
}  // namespace tessera::http
