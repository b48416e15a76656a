#include "proxy/target_template.h"

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

struct Row {
  std::string_view text;
  std::string_view query;
  std::string_view target;
};

std::string expand(std::string_view text, std::string_view query) {
  const auto parsed = TargetTemplate::parse(text);
  if (!parsed) return "not a template";
  const PathNames names{{"rendering", "jbuilder"}, {"*", "a/b"}};
  TargetTemplate::Values values;
  values.path = "/courses/jbuilder";
  values.query = query;
  values.ids = "1,2%2C3";
  values.names = &names;
  return parsed->expand(values);
}

TEST(TargetTemplate, PutsValuesInPlaceOfNames) {
  const Row rows[] = {
      {"{path}", "", "/courses/jbuilder"},
      {"{path}?ids={ids}", "", "/courses/jbuilder?ids=1,2%2C3"},
      {"/courses/manifest", "", "/courses/manifest"},
      {"/m/{rendering}/x", "", "/m/jbuilder/x"},
      {"/m/{*}", "", "/m/a/b"},
      {"/m/{unknown}/x", "", "/m//x"},
      {"{path}.manifest?{query}", "a=1", "/courses/jbuilder.manifest?a=1"},
      {"{path}?{query}&fields[courses]=updated_at", "a=1&b=2",
       "/courses/jbuilder?a=1&b=2&fields[courses]=updated_at"},
      {"/x?ids={ids}&{query}", "q=%zz", "/x?ids=1,2%2C3&q=%zz"},
      {"/x?{query}{ids}", "a=", "/x?a=1,2%2C3"},
      {"/x?q={query}", "a", "/x?q=a"},
  };
  for (const auto& row : rows) EXPECT_EQ(expand(row.text, row.query), row.target) << row.text;
}

TEST(TargetTemplate, DropsASeparatorThatAnEmptyQueryLeavesAlone) {
  const Row rows[] = {
      {"/a?{query}&x=1", "", "/a?x=1"},
      {"/a?{query}", "", "/a"},
      {"/a?x=1&{query}", "", "/a?x=1"},
      {"/a?x=1&{query}&y=2", "", "/a?x=1&y=2"},
      {"/a?{query}&{query}", "", "/a"},
      {"/a?q={query}", "", "/a?q="},
      {"/a?q={query}&y=2", "", "/a?q=&y=2"},
      {"/a?{query};x=1", "", "/a?;x=1"},
      {"{query}", "", ""},
      {"/a?{query}x=1", "", "/a?x=1"},
  };
  for (const auto& row : rows) EXPECT_EQ(expand(row.text, row.query), row.target) << row.text;
}

TEST(TargetTemplate, AppendsAQueryThatItDoesNotName) {
  const Row rows[] = {
      {"/a", "q=1", "/a?q=1"},
      {"/a?x=1", "q=1", "/a?x=1&q=1"},
      {"/a?", "q=1", "/a?q=1"},
      {"/a?x=1&", "q=1", "/a?x=1&q=1"},
      {"{path}?ids={ids}", "q=1&r=2", "/courses/jbuilder?ids=1,2%2C3&q=1&r=2"},
      {"{path}?ids={ids}", "", "/courses/jbuilder?ids=1,2%2C3"},
      {"/a?", "", "/a?"},
  };
  for (const auto& row : rows) EXPECT_EQ(expand(row.text, row.query), row.target) << row.text;
}

TEST(TargetTemplate, TakesNothingInValuesForANameAgain) {
  const auto parsed = TargetTemplate::parse("{path}?{query}");
  ASSERT_TRUE(parsed);
  TargetTemplate::Values values;
  values.path = "/{query}";
  values.query = "a={ids}&b={path}";
  values.ids = "1";
  EXPECT_EQ(parsed->expand(values), "/{query}?a={ids}&b={path}");
}

TEST(TargetTemplate, NeedsNoNamesOfAPath) {
  const auto parsed = TargetTemplate::parse("/x/{name}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->expand({}), "/x/");
}

TEST(TargetTemplate, RefusesWhatIsNoTemplate) {
  for (const std::string_view text :
       {"", "{", "}", "/a{", "/a}", "/{}", "/{a", "/{a}}", "/{{a}", "/a b", "/a#b", "/a\r\nb"}) {
    EXPECT_FALSE(TargetTemplate::parse(text)) << text;
  }
}

}  // namespace
}  // namespace tessera::proxy
