#include "origin/options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::origin {
namespace {

CommandLine read(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tessera-origin");
  return read_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(OriginOptions, HaveTheDefaultsOfTheComparison) {
  const CommandLine line = read({});
  EXPECT_EQ(line.action, CommandLine::Action::run);
  EXPECT_EQ(http::to_string(line.options.listen), "127.0.0.1:3042");
  EXPECT_EQ(line.options.database, ":memory:");
  EXPECT_EQ(line.options.data_set.courses, 1'000);
  EXPECT_EQ(line.options.data_set.slides, 5);
  EXPECT_FALSE(line.options.sizes_are_given);
  EXPECT_EQ(line.options.escape, json::Escape::html);
  EXPECT_EQ(line.options.threads, 0U);
}

TEST(OriginOptions, TakeEveryFlag) {
  const CommandLine line = read({"--listen", "[::1]:0", "--db", "a.db", "--courses", "0", "--slides=7",
                                 "--escape", "js", "--threads", "3", "--render-cost", "100"});
  EXPECT_EQ(line.action, CommandLine::Action::run) << line.text;
  EXPECT_EQ(http::to_string(line.options.listen), "[::1]:0");
  EXPECT_EQ(line.options.database, "a.db");
  EXPECT_EQ(line.options.data_set.courses, 0);
  EXPECT_EQ(line.options.data_set.slides, 7);
  EXPECT_TRUE(line.options.sizes_are_given);
  EXPECT_EQ(line.options.escape, json::Escape::js);
  EXPECT_EQ(line.options.threads, 3U);
  EXPECT_EQ(line.options.render_cost.count(), 100);
}

TEST(OriginOptions, RefuseWrongValuesInOneSentenceThatNamesTheFlag) {
  const std::vector<std::vector<const char*>> wrong = {
      {"--listen", "nowhere"}, {"--courses", "-1"},     {"--courses", "x"}, {"--slides", "101"},
      {"--escape", "xml"},     {"--threads", "-1"},     {"--db", ""},       {"--unknown"},
      {"--courses"},           {"--render-cost", "-1"},
  };
  for (const auto& arguments : wrong) {
    const CommandLine line = read(arguments);
    EXPECT_EQ(line.action, CommandLine::Action::fail) << arguments[0];
    EXPECT_NE(line.text.find(arguments[0]), std::string::npos) << line.text;
    EXPECT_EQ(line.text.find('\n'), std::string::npos) << line.text;
  }
}

TEST(OriginOptions, ExplainThemselves) {
  const CommandLine help = read({"--help"});
  EXPECT_EQ(help.action, CommandLine::Action::exit);
  for (const char* flag :
       {"--listen", "--db", "--courses", "--slides", "--escape", "--threads", "--render-cost", "--version"}) {
    EXPECT_NE(help.text.find(flag), std::string::npos);
  }
  const CommandLine version = read({"--version"});
  EXPECT_EQ(version.action, CommandLine::Action::exit);
  EXPECT_TRUE(version.text.starts_with("tessera-origin "));
}

}  // namespace
}  // namespace tessera::origin
