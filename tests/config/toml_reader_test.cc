#include "config/toml_reader.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/faults.h"

namespace tessera::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TomlReader, SetsWhatTheFileNamesAndLeavesTheRest) {
  const auto settings = parse_toml(R"(
[listen]
address = "[::1]:0"
[memory]
l1 = 0
[redis]
ttl = "5m"
max_connections = 8
[stats]
public = true
[[route]]
name = "a"
path = "/a"
cache = "pass"
array = ""
verify = 1
vary = ["X-Tenant"]
types = { slide = "fast_slide" }
)",
                                   "test.toml");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->listen.address, "[::1]:0");
  EXPECT_EQ(settings->memory.l1, Bytes{0});
  EXPECT_EQ(settings->redis.ttl, Millis{300'000});
  EXPECT_EQ(settings->redis.max_connections, 8u);
  EXPECT_EQ(settings->redis.command_timeout, Millis{50});
  EXPECT_TRUE(settings->stats.public_endpoint);
  ASSERT_EQ(settings->routes.size(), 1u);
  const auto& route = settings->routes.front();
  EXPECT_EQ(route.cache, CacheMode::pass);
  EXPECT_EQ(route.array, "");
  EXPECT_EQ(route.verify, 1.0);
  EXPECT_THAT(route.vary, ElementsAre("X-Tenant"));
  EXPECT_EQ(route.types.at("slide"), "fast_slide");
  EXPECT_THAT(route.list_params, ElementsAre("page", "per_page", "sort", "published"));
}

TEST(TomlReader, TakesAnEmptyFileForTheDefaultsWithoutRoutes) {
  const auto settings = parse_toml("", "test.toml");
  ASSERT_TRUE(settings);
  EXPECT_EQ(to_toml(*settings), to_toml(Settings{}));
}

TEST(TomlReader, WritesFaultsWithoutControlCharacters) {
  const auto faults = all_faults_of(R"(
["a\u001B"]
[[route]]
name = "x\u001B[31m\nfoo"
path = "y\u0085\u009b"
"bo\u0007gus" = 1
)");
  EXPECT_THAT(faults, testing::Not(testing::IsEmpty()));
  for (const auto& fault : faults) {
    EXPECT_EQ(std::count_if(fault.begin(), fault.end(), [](unsigned char c) { return c < 0x20; }), 0)
        << fault;
    EXPECT_FALSE(contains(fault, "\xc2\x85") || contains(fault, "\xc2\x9b")) << fault;
  }
  EXPECT_THAT(faults,
              testing::Contains(HasSubstr(R"(route "x\u001B[31m\u000Afoo" has no setting bo\u0007gus)")));
}

TEST(TomlReader, NamesTheLineOfASyntaxError) {
  EXPECT_THAT(faults_of("[redis]\nttl = 5m5\n"), ElementsAre(HasSubstr("test.toml:2: this is not TOML")));
  EXPECT_THAT(faults_of("[redis]\nttl = \"5m\"\nttl = \"6m\"\n"),
              ElementsAre(HasSubstr("test.toml:3: this is not TOML")));
}

TEST(TomlReader, SuggestsTheNearestNameForAnUnknownKey) {
  EXPECT_THAT(faults_of("[redis]\ntll = \"5m\"\n"),
              ElementsAre("test.toml:2: [redis] has no setting tll; did you mean ttl?"));
  EXPECT_THAT(faults_of("\n[redi]\nttl = \"5m\"\n"),
              ElementsAre("test.toml:2: there is no section [redi]; did you mean [redis]?"));
  EXPECT_THAT(faults_of("[[routes]]\n"), ElementsAre(HasSubstr("did you mean [[route]]?")));
  EXPECT_THAT(faults_of("[[route]]\nname = \"a\"\npath = \"/a\"\nepok = \"2\"\n"),
              ElementsAre("test.toml:4: route \"a\" has no setting epok; did you mean epoch?"));
  EXPECT_THAT(
      faults_of("[log]\nfile = \"x\"\n"),
      ElementsAre("test.toml:2: [log] has no setting file; known are level, request_id, accept_request_id, "
                  "trace"));
}

TEST(TomlReader, SaysWhichTypeAValueMustHave) {
  EXPECT_THAT(faults_of("[listen]\naddress = 8080\nthreads = \"2\"\n"),
              ElementsAre("test.toml:2: listen.address = 8080 must be a text in quotes",
                          "test.toml:3: listen.threads = \"2\" must be a whole number, without quotes"));
  EXPECT_THAT(faults_of("[redis]\nttl = 300\n"),
              ElementsAre(HasSubstr("redis.ttl = 300 is no duration; write it as \"50ms\"")));
  EXPECT_THAT(faults_of("[memory]\nl1 = \"256MB\"\n"),
              ElementsAre(HasSubstr("is no size; write it as \"64KiB\"")));
  EXPECT_THAT(faults_of("[memory]\nl1 = -1\n"), ElementsAre(HasSubstr("is no size")));
  EXPECT_THAT(faults_of("[stats]\npublic = 1\n"), ElementsAre(HasSubstr("must be true or false")));
  EXPECT_THAT(faults_of("redis = 1\n"),
              ElementsAre(HasSubstr("test.toml:1: redis must be a section: write [redis]")));
  EXPECT_THAT(faults_of("[route]\nname = \"a\"\n"),
              ElementsAre(HasSubstr("write [[route]], with two brackets")));
  EXPECT_THAT(faults_of("[limits]\nrounds = -1\n"),
              ElementsAre(HasSubstr("test.toml:2: limits.rounds = -1 may not be negative")));
}

TEST(TomlReader, ReportsEveryFaultInTheOrderOfTheFile) {
  const auto faults = faults_of(R"([redis]
ttl = "5x"
unknown = 1
[[route]]
name = 1
vary = ["a", 2]
types = { a = 1 }
[[route]]
name = "second"
path = "/second"
cache = "colection"
)");
  EXPECT_THAT(
      faults,
      ElementsAre(
          HasSubstr("test.toml:2: redis.ttl"), HasSubstr("test.toml:3: [redis] has no setting"),
          HasSubstr("test.toml:5: route 1: name = 1 must be a text"), HasSubstr("test.toml:6: route 1: vary"),
          HasSubstr("test.toml:7: route 1: types"),
          HasSubstr(
              "test.toml:11: route \"second\": cache = \"colection\" must be \"collection\" or \"pass\""),
          HasSubstr("test.toml:4: route 1: path = \"\" may not be empty")));
}

TEST(TomlReader, NeverShowsASecretInAFault) {
  for (const auto& fault :
       faults_of("[admin]\ntoken = [\"hunter2\"]\n[redis]\naddress = [\"redis://:hunter2@h\"]\n")) {
    EXPECT_FALSE(contains(fault, "hunter2")) << fault;
  }
  EXPECT_EQ(faults_of("[admin]\ntoken = [\"hunter2\"]\n").size(), 1u);
}

TEST(TomlReader, SurvivesDeepNesting) {
  const auto faults = faults_of("a = " + std::string(100'000, '['));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults.front(), HasSubstr("test.toml:1: nests deeper than 64 levels"));
}

TEST(TomlReader, ThrowsEveryFaultWhereAValueWasTakenForGranted) {
  try {
    parse_toml("[redis]\nttl = 1\nx = 1\n", "test.toml").value();
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("redis.ttl"));
    EXPECT_THAT(error.what(), HasSubstr("no setting x"));
  }
}

}  // namespace
}  // namespace tessera::config
