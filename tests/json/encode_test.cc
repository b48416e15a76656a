#include "json/encode.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

// Types of somebody else's namespace, which know json::encode by as_json only.
namespace school {

struct Date {
  int year, month, day;
};

std::string as_json(const Date& date) {
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d", date.year, date.month, date.day);
  return text;
}

enum class Level { beginner, expert };

std::string_view as_json(Level level) {
  return level == Level::beginner ? "beginner" : "expert";
}

enum class Day { monday };

std::string to_string(Day) {
  return "Mon";
}

struct Slide {
  std::int64_t id;
  std::string content;
};

constexpr tessera::json::Key kId{"id"};

auto as_json(const Slide& slide) {
  using namespace tessera;
  return json::object(json::member(kId, slide.id), json::member("content", slide.content));
}

struct Course {
  std::int64_t id;
  std::string title;
  Date date;
  std::vector<Slide> slides;
  mutable int words_counted = 0;

  int count_words() const {
    ++words_counted;
    return 2;
  }
};

auto as_json(const Course& course) {
  using namespace tessera;
  return json::object(json::member(kId, course.id), json::member("title", course.title),
                      json::member("date", course.date),
                      json::association(
                          "slides", [&]() -> const auto& { return course.slides; }),
                      json::method("words", [&] { return course.count_words(); }));
}

// Looks at the options by itself.
struct Report {
  std::map<std::string, int> figures;
};

std::map<std::string, std::string> as_json(const Report&, const tessera::json::Selection& selection) {
  return {{"asked_for", selection.only.empty() ? "nothing" : std::string(selection.only.front())},
          {"title", "Report"}};
}

// Holds others of its kind, to any depth.
struct Nest {
  std::vector<Nest> inner;
};

const std::vector<Nest>& as_json(const Nest& nest) {
  return nest.inner;
}

// Has no end.
struct Mirror {};

std::array<Mirror, 2> as_json(const Mirror&) {
  return {};
}

// A map that keeps its order.
struct Ordered : std::vector<std::pair<std::string, int>> {
  using mapped_type = int;
};

}  // namespace school

namespace tessera::json {
namespace {

template <class T>
std::string encoded(const T& value, const EncodeOptions& options = {}) {
  const Result<std::string> json = encode(value, options);
  return json ? *json : "error: " + json.error().message();
}

TEST(JsonEncode, WritesTheTableOfValues) {
  EXPECT_EQ(encoded(nullptr), "null");
  EXPECT_EQ(encoded(true), "true");
  EXPECT_EQ(encoded(false), "false");
  EXPECT_EQ(encoded(0), "0");
  EXPECT_EQ(encoded(-1), "-1");
  EXPECT_EQ(encoded(std::int64_t{9223372036854775807}), "9223372036854775807");
  EXPECT_EQ(encoded(std::uint64_t{9223372036854775808U}), "9223372036854775808");
  EXPECT_EQ(encoded(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(encoded(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(encoded(std::int8_t{-1}), "-1");
  EXPECT_EQ(encoded(std::uint8_t{65}), "65");
  EXPECT_EQ(encoded(1.0), "1.0");
  EXPECT_EQ(encoded(2.5F), "2.5");
  EXPECT_EQ(encoded(0.1F), "0.1");
  EXPECT_EQ(encoded(1e100), "1e+100");
  EXPECT_EQ(encoded(-0.0), "-0.0");
  EXPECT_EQ(encoded(""), R"("")");
  EXPECT_EQ(encoded("a"), R"("a")");
  EXPECT_EQ(encoded(std::string("a\0b", 3)), R"("a\u0000b")");
  EXPECT_EQ(encoded("</script>&"), R"("\u003c/script\u003e\u0026")");
  EXPECT_EQ(encoded("\u2028\u2029"), R"("\u2028\u2029")");
  EXPECT_EQ(encoded("\U0001F600 \u20ac"), "\"\U0001F600 \u20ac\"");
  EXPECT_EQ(encoded("\"\\\b\f\n\r\t\x7f/"), "\"\\\"\\\\\\b\\f\\n\\r\\t\x7f/\"");
  EXPECT_EQ(encoded(Key("symbol")), R"("symbol")");
  EXPECT_EQ(encoded(InternedKey("<symbol>")), R"("\u003csymbol\u003e")");
  EXPECT_EQ(encoded(std::vector<int>{}), "[]");
  EXPECT_EQ(encoded(std::vector<std::vector<int>>{{1, 2}, {}, {3}}), "[[1,2],[],[3]]");
  EXPECT_EQ(encoded(std::map<std::string, int>{}), "{}");
  EXPECT_EQ(encoded(std::map<std::string, int>{{"a", 1}, {"<b>", 2}}), R"({"\u003cb\u003e":2,"a":1})");
  EXPECT_EQ(encoded(school::Date{2024, 3, 5}), R"("2024-03-05")");
  EXPECT_EQ(encoded(school::Level::expert), R"("expert")");
#ifdef __SIZEOF_INT128__
  EXPECT_EQ(encoded(UInt128{UINT64_MAX} + 1), "18446744073709551616");
#endif
}

TEST(JsonEncode, WritesWhatHoldsValues) {
  EXPECT_EQ(encoded(std::optional<int>{}), "null");
  EXPECT_EQ(encoded(std::optional<std::string>{"x"}), R"("x")");
  EXPECT_EQ(encoded(std::nullopt), "null");
  EXPECT_EQ(encoded(std::unique_ptr<int>{}), "null");
  EXPECT_EQ(encoded(std::make_shared<std::string>("x")), R"("x")");
  const int number = 7;
  EXPECT_EQ(encoded(&number), "7");
  EXPECT_EQ(encoded(std::cref(number)), "7");
  EXPECT_EQ(encoded(static_cast<const char*>(nullptr)), "null");
  using Variant = std::variant<std::monostate, int, std::string, std::vector<int>>;
  EXPECT_EQ(encoded(std::vector<Variant>{Variant{}, Variant{1}, Variant{"a"}, Variant{std::vector<int>{2}}}),
            R"([null,1,"a",[2]])");
  EXPECT_EQ(encoded(std::tuple(1, "a", nullptr)), R"([1,"a",null])");
  EXPECT_EQ(encoded(std::pair(1, 2.0)), "[1,2.0]");
  EXPECT_EQ(encoded(std::vector<bool>{true, false}), "[true,false]");
  EXPECT_EQ(encoded(std::array<int, 2>{1, 2}), "[1,2]");
  EXPECT_EQ(encoded(std::views::iota(0, 3)), "[0,1,2]");
  EXPECT_EQ(encoded(std::list<std::string_view>{"a"}), R"(["a"])");
  EXPECT_EQ(encoded(std::vector<school::Date>{{2024, 1, 2}}), R"(["2024-01-02"])");
}

TEST(JsonEncode, TurnsEveryKindOfKeyIntoAString) {
  EXPECT_EQ(encoded(std::map<int, int>{{-1, 1}, {2, 2}}), R"({"-1":1,"2":2})");
  EXPECT_EQ(encoded(std::map<bool, int>{{false, 0}, {true, 1}}), R"({"false":0,"true":1})");
  EXPECT_EQ(encoded(std::map<double, int>{{1.5, 1}, {2.0, 2}}), R"({"1.5":1,"2.0":2})");
  EXPECT_EQ(encoded(std::map<double, int>{{-INFINITY, 1}}), R"({"-Infinity":1})");
  EXPECT_EQ(encoded(std::map<std::string_view, int>{{"a\"b", 1}}), R"({"a\"b":1})");
  EXPECT_EQ(encoded(std::map<school::Level, int>{{school::Level::beginner, 1}}), R"({"beginner":1})");
  EXPECT_EQ(encoded(std::map<school::Day, int>{{school::Day::monday, 1}}), R"({"Mon":1})");
  EXPECT_EQ(encoded(std::map<InternedKey, int>{{InternedKey("sym"), 1}}), R"({"sym":1})");
  EXPECT_EQ(encoded(std::unordered_map<std::string, std::optional<int>>{{"a", {}}}), R"({"a":null})");
  EXPECT_EQ(encoded(school::Ordered{{{"z", 1}, {"a", 2}}}), R"({"z":1,"a":2})");
}

TEST(JsonEncode, EscapesByTheOption) {
  const std::map<std::string, std::string> value = {{"<", "&\u2028>"}};
  EXPECT_EQ(encoded(value, {.escape = Escape::html}), R"({"\u003c":"\u0026\u2028\u003e"})");
  EXPECT_EQ(encoded(value, {.escape = Escape::js}), R"({"<":"&\u2028>"})");
  EXPECT_EQ(encoded(value, {.escape = Escape::none}), "{\"<\":\"&\u2028>\"}");
}

TEST(JsonEncode, WritesNullForNumbersThatAreNoneOrRefusesThem) {
  const std::vector<double> values = {NAN, INFINITY, -INFINITY, 1};
  EXPECT_EQ(encoded(values), "[null,null,null,1.0]");
  EXPECT_EQ(encode(values, {.non_finite = NonFinite::error}).error(), Error::not_finite);
  EXPECT_EQ(encode(HUGE_VALF, {.non_finite = NonFinite::error}).error(), Error::not_finite);
}

TEST(JsonEncode, RefusesTextThatIsNotUtf8OrReplacesIt) {
  const std::map<std::string, std::string> value = {{"k\xff", "a\xe2\x82z"}};
  EXPECT_EQ(encode(value).error(), Error::not_utf8);
  EXPECT_EQ(encoded(value, {.invalid_utf8 = InvalidUtf8::replace}), "{\"k\uFFFD\":\"a\uFFFDz\"}");
}

const std::vector<school::Course> kCourses = {
    {1, "C++ & you", {2024, 3, 5}, {{7, "first"}, {8, "<b>"}}},
    {2, "Rust", {2024, 3, 6}, {}},
};

TEST(JsonEncode, ShowsAttributesAndComputesNothingElseUnasked) {
  EXPECT_EQ(encoded(kCourses.front()), R"({"id":1,"title":"C++ \u0026 you","date":"2024-03-05"})");
  EXPECT_EQ(kCourses.front().words_counted, 0);
}

TEST(JsonEncode, ShowsOnlyTheAttributesThatAreAskedFor) {
  EXPECT_EQ(encoded(kCourses, {.members = {.only = {"title", "id"}}}),
            R"([{"id":1,"title":"C++ \u0026 you"},{"id":2,"title":"Rust"}])");
  EXPECT_EQ(encoded(kCourses[1], {.members = {.except = {"date"}}}), R"({"id":2,"title":"Rust"})");
  EXPECT_EQ(encoded(kCourses[1], {.members = {.only = {"id"}, .except = {"id"}}}), R"({"id":2})");
  EXPECT_EQ(encoded(kCourses[1], {.members = {.only = {"unknown"}}}), "{}");
}

TEST(JsonEncode, AddsAssociationsAndMethodsThatAreAskedFor) {
  EXPECT_EQ(
      encoded(kCourses.front(), {.members = {.only = {"id"}, .include = {"slides"}, .methods = {"words"}}}),
      R"({"id":1,"slides":[{"id":7,"content":"first"},{"id":8,"content":"\u003cb\u003e"}],"words":2})");
  EXPECT_EQ(encoded(kCourses[1], {.members = {.only = {"title"}, .methods = {"words"}}}),
            R"({"title":"Rust","words":2})");
}

TEST(JsonEncode, AppliesOptionsToTheFirstLevelOnly) {
  const std::map<std::string, std::map<std::string, int>> nested = {{"a", {{"a", 1}, {"b", 2}}},
                                                                    {"b", {{"a", 3}}}};
  EXPECT_EQ(encoded(nested, {.members = {.only = {"a"}}}), R"({"a":{"a":1,"b":2}})");
  EXPECT_EQ(encoded(nested, {.members = {.except = {"a"}}}), R"({"b":{"a":3}})");
  EXPECT_EQ(encoded(std::map<int, int>{{1, 1}, {2, 2}}, {.members = {.only = {"2"}}}), R"({"2":2})");
  const std::map<std::string, school::Course> by_name = {{"id", kCourses[1]}, {"x", kCourses[1]}};
  EXPECT_EQ(encoded(by_name, {.members = {.only = {"id"}, .methods = {"words"}}}),
            R"({"id":{"id":2,"title":"Rust","date":"2024-03-06"}})");
}

TEST(JsonEncode, DoesNotApplyOptionsAgainToWhatATypeMadeOfThem) {
  const school::Report report;
  EXPECT_EQ(encoded(report, {.members = {.only = {"figures"}}}),
            R"({"asked_for":"figures","title":"Report"})");
  EXPECT_EQ(
      encoded(std::map<std::string, school::Report>{{"figures", report}}, {.members = {.only = {"figures"}}}),
      R"({"figures":{"asked_for":"nothing","title":"Report"}})");
}

TEST(JsonEncode, NestsAsDeepAsReadersDoAndNoDeeper) {
  school::Nest nest;
  for (std::size_t depth = 1; depth < kMaxDepth; ++depth) nest = school::Nest{{nest}};
  EXPECT_EQ(encoded(nest), std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']'));
  nest = school::Nest{{nest}};
  EXPECT_EQ(encode(nest).error(), Error::too_deep);
}

TEST(JsonEncode, EndsForAValueWithoutEnd) {
  EXPECT_EQ(encode(school::Mirror{}).error(), Error::too_deep);
}

TEST(JsonEncode, WritesIntoADocumentOfTheCaller) {
  Writer writer(Escape::html);
  writer.begin_object();
  writer.key(Key("courses"));
  write_value(writer, kCourses, {.only = {"id"}});
  writer.key(Key("total"));
  write_value(writer, 2);
  writer.end_object();
  EXPECT_EQ(writer.take(), R"({"courses":[{"id":1},{"id":2}],"total":2})");
}

}  // namespace
}  // namespace tessera::json
