#include "config/value_text.h"

#include <gtest/gtest.h>

namespace tessera::config {
namespace {

template <class T>
std::optional<T> read(std::string_view text) {
  T value{};
  if (!read_text(text, value).empty()) return std::nullopt;
  return value;
}

TEST(ValueText, ReadsDurationsWithTheirUnit) {
  EXPECT_EQ(read<Millis>("50ms"), Millis{50});
  EXPECT_EQ(read<Millis>("2s"), Millis{2'000});
  EXPECT_EQ(read<Millis>("5m"), Millis{300'000});
  EXPECT_EQ(read<Millis>("3h"), Millis{10'800'000});
  EXPECT_EQ(read<Millis>("1d"), Millis{86'400'000});
  EXPECT_EQ(read<Millis>("0s"), Millis{0});
  for (const auto* text :
       {"", "5", "s", "-5s", "5 s", "5x", "1.5s", "5S", "99999999999999999999s", "9999999999999999d"}) {
    EXPECT_EQ(read<Millis>(text), std::nullopt) << text;
  }
}

TEST(ValueText, ReadsSizesInUnitsOf1024OrPlain) {
  EXPECT_EQ(read<Bytes>("64KiB"), Bytes{65'536});
  EXPECT_EQ(read<Bytes>("256MiB"), Bytes{256ull << 20});
  EXPECT_EQ(read<Bytes>("1GiB"), Bytes{1ull << 30});
  EXPECT_EQ(read<Bytes>("0"), Bytes{0});
  EXPECT_EQ(read<Bytes>("1000"), Bytes{1'000});
  for (const auto* text :
       {"", "KiB", "1MB", "1kib", "-1", "1.5GiB", "1 KiB", "99999999999999999999", "9999999999TiB"}) {
    EXPECT_EQ(read<Bytes>(text), std::nullopt) << text;
  }
}

TEST(ValueText, WritesTheLargestUnitThatDivides) {
  EXPECT_EQ(to_toml_value(Millis{1'500}), "\"1500ms\"");
  EXPECT_EQ(to_toml_value(Millis{90'000}), "\"90s\"");
  EXPECT_EQ(to_toml_value(Millis{48 * 3'600'000}), "\"2d\"");
  EXPECT_EQ(to_toml_value(Millis{0}), "\"0s\"");
  EXPECT_EQ(to_toml_value(Bytes{3ull << 20}), "\"3MiB\"");
  EXPECT_EQ(to_toml_value(Bytes{1'025}), "1025");
  EXPECT_EQ(to_toml_value(Bytes{0}), "0");
}

TEST(ValueText, ReadsNumbersAndWordsWhole) {
  EXPECT_EQ(read<unsigned>("10000"), 10'000u);
  EXPECT_EQ(read<unsigned>("4294967296"), std::nullopt);
  EXPECT_EQ(read<unsigned>("4x"), std::nullopt);
  EXPECT_EQ(read<unsigned>("-4"), std::nullopt);
  EXPECT_EQ(read<double>("0.25"), 0.25);
  EXPECT_EQ(read<double>("1/4"), std::nullopt);
  EXPECT_EQ(read<bool>("true"), true);
  EXPECT_EQ(read<bool>("yes"), std::nullopt);
  EXPECT_EQ(read<CacheMode>("pass"), CacheMode::pass);
  EXPECT_EQ(read<CacheMode>("serve"), std::nullopt);
  EXPECT_EQ(read<RouteMode>("serve"), RouteMode::serve);
}

TEST(ValueText, SplitsListsAtCommas) {
  EXPECT_EQ(read<Texts>("page, sort ,x"), (Texts{"page", "sort", "x"}));
  EXPECT_EQ(read<Texts>(""), Texts{});
  EXPECT_EQ(read<Texts>("a,,b"), (Texts{"a", "", "b"}));
  EXPECT_EQ(read<Names>("slide=fast_slide,a=b"), (Names{{"slide", "fast_slide"}, {"a", "b"}}));
  EXPECT_EQ(read<Names>("slide"), std::nullopt);
}

TEST(ValueText, EscapesTextsForToml) {
  EXPECT_EQ(to_toml_value(std::string("a\"b\\c\x01")), R"("a\"b\\c\u0001")");
  EXPECT_EQ(to_toml_value(0.0), "0.0");
  EXPECT_EQ(to_toml_value(0.01), "0.01");
  EXPECT_EQ(to_toml_value(Texts{"a", "b"}), R"(["a", "b"])");
}

TEST(ValueText, HidesPasswordsAndKeepsTheRestOfTheUrl) {
  EXPECT_EQ(masked("secret", Secret::whole), "***");
  EXPECT_EQ(masked("", Secret::whole), "");
  EXPECT_EQ(masked("plain", Secret::no), "plain");
  EXPECT_EQ(masked("redis://u:pw@h:6379/1", Secret::password), "redis://u:***@h:6379/1");
  EXPECT_EQ(masked("redis://u:p/w@h", Secret::password), "redis://u:***@h");
  EXPECT_EQ(masked("u:pw@h", Secret::password), "u:***@h");
  EXPECT_EQ(masked("unix://:pw@/run/r.sock", Secret::password), "unix://:***@/run/r.sock");
  EXPECT_EQ(masked("unix:///run/a:b@c.sock", Secret::password), "unix:///run/a:b@c.sock");
  EXPECT_EQ(masked("redis://h:6379", Secret::password), "redis://h:6379");
}

TEST(ValueText, GuessesTheNearestNameOnlyWhenItIsNear) {
  const Texts names{"ttl", "address", "command_timeout", "connect_timeout"};
  EXPECT_EQ(nearest("tll", names), "ttl");
  EXPECT_EQ(nearest("adress", names), "address");
  EXPECT_EQ(nearest("conect-timeout", names), "connect_timeout");
  EXPECT_EQ(nearest("password", names), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), names), "");
}

}  // namespace
}  // namespace tessera::config
