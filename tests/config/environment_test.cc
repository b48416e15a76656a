#include "config/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/describe.h"
#include "config/value_text.h"
#include "tests/config/faults.h"

namespace tessera::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string unquoted(std::string text) {
  return text.starts_with('"') ? text.substr(1, text.size() - 2) : text;
}

TEST(EnvironmentVariables, ReachEverySetting) {
  Settings wanted;
  Environment environment;
  for_each_setting(wanted, [&](std::string_view section, const Field& field, const auto& value) {
    environment[environment_name(section, field.name)] = unquoted(to_toml_value(value));
  });
  environment["TESSERA_REDIS_ADDRESS"] = "redis://h:1";
  environment["TESSERA_STATS_PUBLIC"] = "true";
  environment["TESSERA_MEMORY_L1"] = "0";
  environment["TESSERA_REDIS_TTL"] = "5m";
  environment["HOME"] = "/nowhere";
  Settings settings;
  EXPECT_THAT(texts_of(apply_environment(settings, environment)), IsEmpty());
  EXPECT_EQ(settings.redis.address, "redis://h:1");
  EXPECT_TRUE(settings.stats.public_endpoint);
  EXPECT_EQ(settings.memory.l1, Bytes{0});
  EXPECT_EQ(settings.redis.ttl, Millis{300'000});
}

TEST(EnvironmentVariables, ThatAreNoSettingAreFaultsWithASuggestion) {
  Settings settings;
  EXPECT_THAT(
      texts_of(apply_environment(
          settings, {{"TESSERA_REDIS_TLL", "5m"}, {"TESSERA_ROUTE_NAME", "a"}, {"TESSERA_", ""}})),
      ElementsAre(
          HasSubstr("environment TESSERA_: there is no such setting"),
          "environment TESSERA_REDIS_TLL: there is no such setting; did you mean TESSERA_REDIS_TTL?",
          "environment TESSERA_ROUTE_NAME: there is no such setting; routes are set in the file only"));
}

TEST(EnvironmentVariables, OfAWrongTypeAreFaults) {
  Settings settings;
  EXPECT_THAT(
      texts_of(apply_environment(settings, {{"TESSERA_REDIS_TTL", "5"}, {"TESSERA_LISTEN_THREADS", "two"}})),
      ElementsAre("environment TESSERA_LISTEN_THREADS: \"two\" is no whole number",
                  HasSubstr("environment TESSERA_REDIS_TTL: \"5\" is no duration")));
  EXPECT_EQ(settings.redis.ttl, RedisSettings{}.ttl);
}

}  // namespace
}  // namespace tessera::config
