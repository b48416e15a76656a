// That every setting is described, and that whatever walks the descriptions reaches it.
#include "config/describe.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "config/environment.h"
#include "config/value_text.h"
#include "tests/config/faults.h"

namespace tessera::config {
namespace {

// Gives each setting another value than its default, and a valid one.
class Changer {
 public:
  std::size_t count = 0;

  void operator()(const Field& field, std::string& value) {
    ++count;
    if (field.words.empty()) {
      value = text_for(field);
    } else {
      const auto words = field.words;
      value = words.substr(words.rfind('|') + 1);
    }
  }
  void operator()(const Field&, std::optional<std::string>& value) { ++count, value = "/changed"; }
  void operator()(const Field&, bool& value) { ++count, value = !value; }
  void operator()(const Field&, unsigned& value) { ++count, value += 1; }
  void operator()(const Field&, double& value) { ++count, value = 0.25; }
  void operator()(const Field&, Millis& value) { ++count, value += Millis{1}; }
  void operator()(const Field&, Bytes& value) { ++count, value.value += 1; }
  void operator()(const Field&, CacheMode& value) { ++count, value = CacheMode::pass; }
  void operator()(const Field&, RouteMode& value) { ++count, value = RouteMode::pass; }
  void operator()(const Field& field, Texts& value) {
    ++count;
    value = {"cookie:changed", "cookie"};
    if (field.check == check_origin_url) value = {"http://changed:1", "unix:///changed"};
    if (field.check == check_network) value = {"192.0.2.0/24", "::1"};
  }
  void operator()(const Field&, Names& value) { ++count, value = {{"a b", "c\"d"}}; }

 private:
  static std::string text_for(const Field& field) {
    if (field.check == check_address && field.flag.empty()) return "localhost:3";
    if (field.check == check_address) return field.flag == "--admin" ? "localhost:1" : "localhost:2";
    if (field.check == check_health_path) return "/changed?deep=1";
    if (field.check == check_socket_path) return "/changed.sock";
    if (field.check == check_redis_address) return "rediss://user:pass@changed:1/2";
    if (field.check == check_path) return "/changed/{name}";
    if (field.name == "records") return "/changed?ids={ids}";
    if (field.check == check_pointer) return "/changed_" + std::string(field.name);
    return field.name == "manifest" ? "/changed?{query}" : "changed";
  }
};

Settings changed_settings(std::size_t* count = nullptr) {
  Settings settings;
  settings.routes.resize(1);
  Changer changer;
  for_each_section(settings, [&](std::string_view, auto& section) { describe(changer, section); });
  auto& route = settings.routes.front();
  describe(changer, route);
  route.vary = {"X-Changed"};
  if (count) *count = changer.count;
  return settings;
}

// How many members an aggregate has: the most values that it can be made from.
struct Anything {
  template <class T>
  operator T() const;
};

template <class T, class... Values>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Values{}..., Anything{}}; }) {
    return count_members<T, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

template <class Section>
std::size_t count_described() {
  Changer changer;
  Section section;
  describe(changer, section);
  return changer.count;
}

TEST(Describe, NamesEveryMemberOfTheStructs) {
  EXPECT_EQ(count_described<ListenSettings>(), count_members<ListenSettings>());
  EXPECT_EQ(count_described<TlsSettings>(), count_members<TlsSettings>());
  EXPECT_EQ(count_described<AdminSettings>(), count_members<AdminSettings>());
  EXPECT_EQ(count_described<OriginSettings>(), count_members<OriginSettings>());
  EXPECT_EQ(count_described<MemorySettings>(), count_members<MemorySettings>());
  EXPECT_EQ(count_described<RedisSettings>(), count_members<RedisSettings>());
  EXPECT_EQ(count_described<StatsSettings>(), count_members<StatsSettings>());
  EXPECT_EQ(count_described<LogSettings>(), count_members<LogSettings>());
  EXPECT_EQ(count_described<AccessLogSettings>(), count_members<AccessLogSettings>());
  EXPECT_EQ(count_described<LimitsSettings>(), count_members<LimitsSettings>());
  EXPECT_EQ(count_described<RouteSettings>(), count_members<RouteSettings>());
}

TEST(Describe, NamesEverySection) {
  std::size_t sections = 1;  // the routes
  const Settings settings;
  for_each_section(settings, [&](std::string_view, const auto&) { ++sections; });
  EXPECT_EQ(sections, count_members<Settings>());
}

TEST(Describe, GivesEachSettingANameOfItsOwnAndAMeaning) {
  std::set<std::string> names;
  const auto look = [&](const std::string& section, const Field& field) {
    EXPECT_TRUE(names.insert(setting_path(section, field.name)).second) << field.name;
    EXPECT_TRUE(field.meaning.ends_with('.')) << field.name << ": " << field.meaning;
  };
  const Settings settings;
  for_each_setting(settings, [&](std::string_view section, const Field& field, const auto&) {
    look(std::string(section), field);
  });
  const RouteSettings route;
  const auto look_at_route = [&](const Field& field, const auto&) { look("route", field); };
  describe(look_at_route, route);
  std::size_t described = 0;
  changed_settings(&described);
  EXPECT_EQ(names.size(), described);
}

TEST(Describe, LetsEverySettingSurviveToTomlAndBack) {
  auto settings = changed_settings();
  EXPECT_TRUE(validate(settings, "test.toml").empty());
  const auto text = to_toml(settings);
  const auto again = parse_toml(text, "test.toml");
  ASSERT_TRUE(again) << texts_of(again.error()).front();
  EXPECT_EQ(to_toml(*again), text);
  settings.admin.token = settings.redis.secret = "***";
  settings.redis.address = "rediss://user:***@changed:1/2";
  const auto compare = [&](std::string_view section, const Field& field, const auto& value) {
    for_each_setting(*again,
                     [&](std::string_view other_section, const Field& other_field, const auto& other) {
                       if (section != other_section || field.name != other_field.name) return;
                       if constexpr (std::is_same_v<decltype(value), decltype(other)>) {
                         EXPECT_EQ(value, other) << section << "." << field.name;
                       }
                     });
  };
  for_each_setting(settings, compare);
}

TEST(Describe, ChangesEverySettingInThatTest) {
  Settings defaults;
  defaults.routes.resize(1);
  const auto split = [](const std::string& text) {
    std::set<std::string> lines;
    std::string section;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      const auto line = text.substr(at, end - at);
      if (line.starts_with('[')) section = line;
      if (contains(line, " = ")) lines.insert(section + line);
      at = end + 1;
    }
    return lines;
  };
  const auto before = split(to_toml(defaults));
  for (const auto& line : split(to_toml(changed_settings()))) EXPECT_FALSE(before.contains(line)) << line;
}

TEST(Describe, LetsHelpConfigListEverySetting) {
  const auto help = help_text();
  const Settings settings;
  for_each_setting(settings, [&](std::string_view section, const Field& field, const auto& value) {
    EXPECT_TRUE(contains(help, "\n  " + std::string(field.name) + " = " + to_toml_value(value) + "\n"))
        << field.name;
    EXPECT_TRUE(contains(help, field.meaning)) << field.name;
    EXPECT_TRUE(contains(help, environment_name(section, field.name))) << field.name;
    EXPECT_TRUE(contains(help, "\n[" + std::string(section) + "]\n")) << section;
    EXPECT_TRUE(contains(help, field.flag)) << field.name;
  });
  const RouteSettings route;
  const auto look = [&](const Field& field, const auto&) {
    EXPECT_TRUE(contains(help, "\n  " + std::string(field.name) + " ")) << field.name;
    EXPECT_TRUE(contains(help, field.meaning)) << field.name;
  };
  describe(look, route);
  EXPECT_TRUE(contains(help, "\n  array (unset)\n"));
  EXPECT_TRUE(contains(help, "\n  name (required)\n"));
  EXPECT_TRUE(contains(help, "duration, \"1s\" to \"365d\"; TESSERA_REDIS_TTL"));
}

}  // namespace
}  // namespace tessera::config
