#include "config/checks.h"

#include <string>

#include <gtest/gtest.h>

namespace tessera::config {
namespace {

TEST(Checks, TakeAddressesWithAPort) {
  for (const auto* text : {"127.0.0.1:8080", "[::1]:0", "localhost:65535"})
    EXPECT_EQ(check_address(text), "") << text;
  for (const auto* text : {"127.0.0.1", "8080", ":8080", "a:70000"})
    EXPECT_NE(check_address(text), "") << text;
}

TEST(Checks, TakeOriginsWithoutAPath) {
  for (const auto* text : {"http://127.0.0.1:3042", "http://origin", "http://[::1]:80/",
                           "unix:///run/app.sock", "https://origin"}) {
    EXPECT_EQ(check_origin_url(text), "") << text;
  }
  for (const auto* text : {"origin:80", "https://origin/a", "http://", "http://a/b", "http://a?b",
                           "http://u@a", "http://a:0", "unix://run/app.sock", "unix:///"}) {
    EXPECT_NE(check_origin_url(text), "") << text;
  }
}

TEST(Checks, TakeHostNamesWithoutAPort) {
  for (const auto* text : {"api.example.com", "localhost", "127.0.0.1", "[::1]"}) {
    EXPECT_EQ(check_host_name(text), "") << text;
  }
  for (const auto* text : {"a:443", "https://a", "a/b", "a b"}) EXPECT_NE(check_host_name(text), "") << text;
}

TEST(Checks, TakeTheThreeKindsOfRedisAddresses) {
  for (const auto* text :
       {"redis://localhost", "redis://h:6379/0", "redis://:pw@h:1/", "rediss://u:p%40w@[::1]:6380/15",
        "unix:///run/r.sock", "unix:///run/r.sock?db=3", "unix://:pw@/run/r.sock"}) {
    EXPECT_EQ(check_redis_address(text), "") << text;
  }
  const std::string long_path = "unix:///" + std::string(107, 'a');
  for (const std::string text :
       {"localhost:6379", "http://h:1", "redis://", "redis://h:0", "redis://h:1/x", "redis://u@h:1",
        "redis://:p%4@h:1", "unix://run/r.sock", "unix:///", "unix:///a?x=1"}) {
    EXPECT_NE(check_redis_address(text), "") << text;
  }
  EXPECT_NE(check_redis_address(long_path), "");
}

TEST(Checks, TakePathsWhoseBracesHoldWholeSegments) {
  for (const auto* text : {"/", "/courses", "/courses/{rendering}", "/{a}/{b}/{*}", "/a.json"}) {
    EXPECT_EQ(check_path(text), "") << text;
  }
  for (const auto* text : {"courses", "/a/{b", "/a/b}", "/a/{{b}}", "/a/{}", "/{*}/a", "/a{b}", "/{b}.json",
                           "/{a}/{a}", "/{ids}", "/a?b", "/a b", "/a//b", "/a/", "/{1a}", "/{a-b}"}) {
    EXPECT_NE(check_path(text), "") << text;
  }
}

TEST(Checks, TakePointersOfRfc6901) {
  for (const auto* text : {"/", "/data", "/a/0", "/a~0b~1c"}) EXPECT_EQ(check_pointer(text), "") << text;
  for (const auto* text : {"data", "#/data", "/a~", "/a~2"}) EXPECT_NE(check_pointer(text), "") << text;
}

TEST(Checks, TakeTemplatesWithKnownNamesOnly) {
  const auto names = path_names("/{tenant}/courses/{*}");
  EXPECT_EQ(names, (std::vector<std::string>{"tenant", "*"}));
  EXPECT_EQ(check_template("/{tenant}/manifest", names), "");
  EXPECT_EQ(check_template("{path}?ids={ids}&fields[courses]=updated_at", {"path", "ids"}), "");
  for (const auto* text : {"{tenant}/x", "courses", "/{other}", "/{tenant", "/a#b", "/a b"}) {
    EXPECT_NE(check_template(text, names), "") << text;
  }
  EXPECT_EQ(count_name("/{ids}?{ids}", "ids"), 2u);
}

TEST(Checks, TakeCredentialsAndNames) {
  for (const auto* text : {"authorization", "cookie", "cookie:_session"})
    EXPECT_EQ(check_credential(text), "") << text;
  for (const auto* text : {"Authorization", "cookie:", "cookie:a b", "cookie:a=b", "x-user"}) {
    EXPECT_NE(check_credential(text), "") << text;
  }
  EXPECT_EQ(check_field_name("X-Tenant"), "");
  EXPECT_NE(check_field_name("X Tenant"), "");
  EXPECT_EQ(check_list_param("page[number]"), "");
  EXPECT_NE(check_list_param("ids"), "");
  EXPECT_NE(check_list_param("a=b"), "");
  EXPECT_EQ(check_route_name("courses-v1.2_x"), "");
  EXPECT_NE(check_route_name("a/b"), "");
  EXPECT_NE(check_route_name(std::string(65, 'a')), "");
  EXPECT_EQ(check_prefix("{tessera}:1"), "");
  EXPECT_NE(check_prefix("tessera*"), "");
  EXPECT_EQ(check_token("a-._~+/=!"), "");
  EXPECT_NE(check_token("two words"), "");
}

TEST(Checks, RefuseControlCharactersAndWhatIsNotUtf8) {
  EXPECT_EQ(check_characters("plain, \xC3\xA9, \xE2\x82\xAC and \xF0\x9F\x98\x80"), "");
  for (const std::string text :
       {"a\nb", "a\rb", "a\x7F", "a\x1B[0m", "\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_NE(check_characters(text), "");
  }
  EXPECT_NE(check_characters(std::string_view("a\0b", 3)), "");
}

}  // namespace
}  // namespace tessera::config
