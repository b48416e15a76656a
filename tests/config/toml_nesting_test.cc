#include "config/toml_nesting.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/config/faults.h"

namespace tessera::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(TomlNesting, RefusesWhatAParserWouldRecurseInto) {
  for (const auto& text : {"[a" + repeated(".a", 50'000) + "]\nb = 1\n", repeated("a.", 50'000) + "a = 1\n",
                           "a = " + repeated("[", 50'000) + repeated("]", 50'000) + "\n",
                           repeated("a={", 50'000) + repeated("}", 50'000) + "\n", repeated("[", 50'000)}) {
    EXPECT_THAT(all_faults_of("\n" + text), ElementsAre(HasSubstr("nests deeper than 64 levels")));
    EXPECT_EQ(line_that_nests_too_deep("\n" + text), 2u);
  }
}

TEST(TomlNesting, LooksIntoNoStringAndNoComment) {
  const auto deep = repeated("[", 200);
  for (const auto& text :
       {"a = \"" + deep + "\"\n", "a = '" + deep + "'\n", "# " + deep + "\n",
        "a = \"\"\"\n" + deep + "\"\"\"\n", "a = '''\n" + deep + "\n'''\n", "a = \"\\\"" + deep + "\"\n"}) {
    EXPECT_FALSE(line_that_nests_too_deep(text)) << text;
  }
  EXPECT_EQ(line_that_nests_too_deep("a = 'x\\'\nb = \"\"\nc = \"\"\"\n\n\"\"\"\nd = " + deep), 6u);
}

TEST(TomlNesting, CountsOneKeyAndNotItsNeighbours) {
  EXPECT_FALSE(line_that_nests_too_deep(repeated("a.b = 1.5\n", 200)));
  EXPECT_FALSE(line_that_nests_too_deep("a = [" + repeated("1.5, ", 200) + "]\n"));
  EXPECT_FALSE(line_that_nests_too_deep(default_toml()));
}

}  // namespace
}  // namespace tessera::config
