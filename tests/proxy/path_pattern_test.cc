#include "proxy/path_pattern.h"

#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

struct Row {
  std::string_view pattern;
  std::string_view path;
  bool matches;
  PathNames names = {};
};

void check(const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    const auto pattern = PathPattern::parse(row.pattern);
    ASSERT_TRUE(pattern) << row.pattern;
    PathNames names{{"left", "over"}};
    EXPECT_EQ(pattern->matches(row.path, &names), row.matches) << row.pattern << " against " << row.path;
    EXPECT_THAT(names, ElementsAreArray(row.names)) << row.pattern << " against " << row.path;
    EXPECT_EQ(pattern->matches(row.path, nullptr), row.matches) << row.pattern << " against " << row.path;
  }
}

TEST(PathPattern, ComparesLiteralSegmentsByteByByte) {
  check({
      {"/", "/", true},
      {"/", "", false},
      {"/", "/a", false},
      {"/", "//", false},
      {"/courses", "/courses", true},
      {"/courses", "/courses/", false},
      {"/courses", "/Courses", false},
      {"/courses", "/coursesx", false},
      {"/courses", "/course", false},
      {"/courses", "courses", false},
      {"/courses", "*", false},
      {"/courses", "/cours%65s", false},
      {"/courses", "//courses", false},
  });
}

TEST(PathPattern, LetsANameMatchOneSegment) {
  check({
      {"/courses/{rendering}", "/courses/jbuilder", true, {{"rendering", "jbuilder"}}},
      {"/courses/{rendering}", "/courses/a%2Fb+c", true, {{"rendering", "a%2Fb+c"}}},
      {"/courses/{rendering}", "/courses/", false},
      {"/courses/{rendering}", "/courses", false},
      {"/courses/{rendering}", "/courses//", false},
      {"/courses/{rendering}", "/courses/a/", false},
      {"/courses/{rendering}", "/courses/a/b", false},
      {"/courses/{rendering}", "/people/a", false},
      {"/courses/{rendering}", "//courses/a", false},
      {"/{a}/x/{b}", "/1/x/2", true, {{"a", "1"}, {"b", "2"}}},
      {"/{a}/x/{b}", "/1/y/2", false},
      {"/{a}/x/{b}", "/1/x/", false},
      {"/{a}", "/{a}", true, {{"a", "{a}"}}},
  });
}

TEST(PathPattern, LetsTheRestMatchEverythingButNothing) {
  check({
      {"/files/{*}", "/files/a", true, {{"*", "a"}}},
      {"/files/{*}", "/files/a/b", true, {{"*", "a/b"}}},
      {"/files/{*}", "/files/a/", true, {{"*", "a/"}}},
      {"/files/{*}", "/files/", false},
      {"/files/{*}", "/files", false},
      {"/{*}", "/a", true, {{"*", "a"}}},
      {"/{*}", "/", false},
      {"/{x}/{*}", "/a/b/c", true, {{"x", "a"}, {"*", "b/c"}}},
  });
}

TEST(PathPattern, LetsNoNameMatchADotSegment) {
  check({
      {"/m/{name}/list", "/m/../list", false},
      {"/m/{name}/list", "/m/./list", false},
      {"/m/{name}/list", "/m/%2e%2E/list", false},
      {"/m/{name}/list", "/m/.%2e/list", false},
      {"/m/{name}/list", "/m/..;v=1/list", false},
      {"/m/{name}/list", "/m/.../list", true, {{"name", "..."}}},
      {"/m/{name}/list", "/m/..a/list", true, {{"name", "..a"}}},
      {"/m/{name}/list", "/m/.json/list", true, {{"name", ".json"}}},
      {"/m/{name}/list", "/m/%2/list", true, {{"name", "%2"}}},
      {"/m/{*}", "/m/a/../b", false},
      {"/m/{*}", "/m/a/b/%2e%2e", false},
      {"/m/{*}", "/m/..", false},
      {"/m/{*}", "/m/a..b/c", true, {{"*", "a..b/c"}}},
  });
}

TEST(PathPattern, RefusesWhatIsNoPattern) {
  for (const std::string_view text :
       {"",       "courses", "*",    "/courses/", "//",      "/a//b", "/{}",   "/a{b}",
        "/{a}b",  "/{a",     "/a}",  "/{*}/a",    "/{*}{*}", "/{*}/", "/a{*}", "/{a}/{a}",
        "/{a-b}", "/{{a}}",  "/a?b", "/a#b",      "/a b",    "/a\nb", "/{a b}"}) {
    EXPECT_FALSE(PathPattern::parse(text)) << text;
  }
}

TEST(PathPattern, EmptiesTheNamesOfAPathThatMatchesHalfWay) {
  const auto pattern = PathPattern::parse("/{a}/{b}/end");
  ASSERT_TRUE(pattern);
  PathNames names;
  EXPECT_FALSE(pattern->matches("/1/2/other", &names));
  EXPECT_THAT(names, IsEmpty());
}

}  // namespace
}  // namespace tessera::proxy
