// What the programs print and refuse at start.
#include <string>

#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"

namespace tessera::test {
namespace {

struct Ended {
  int status = 0;
  std::string output;
  std::string errors;
};

Ended run(const std::string& program, const std::vector<std::string>& arguments,
          const Environment& environment = {}) {
  Process process(program, arguments, environment);
  const auto status = process.wait();
  return {status.value_or(-1), process.output(), process.errors()};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ProxyCommandLine, PrintsItsVersion) {
  const Ended ended = run(proxy_program(), {"--version"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(contains(ended.output, "0.1.0")) << ended.output;
}

TEST(ProxyCommandLine, HelpsWithEverySection) {
  const Ended ended = run(proxy_program(), {"--help-config"});
  EXPECT_EQ(ended.status, 0);
  for (const char* section : {"[listen]", "[admin]", "[origin]", "[memory]", "[redis]", "[stats]", "[log]",
                              "[limits]", "[[route]]"}) {
    EXPECT_TRUE(contains(ended.output, section)) << section;
  }
}

TEST(ProxyCommandLine, PrintsAConfigurationThatItAccepts) {
  const Ended checked = run(proxy_program(), {"--check", "--l1", "64MiB"});
  ASSERT_EQ(checked.status, 0) << checked.errors;
  EXPECT_TRUE(contains(checked.output, "64MiB"));
  const TemporaryDirectory directory;
  const Ended again =
      run(proxy_program(), {"--check", "--config", directory.write("t.toml", checked.output)});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.output, checked.output);
}

TEST(ProxyCommandLine, RefusesAllFaultsAtOnceWithTheirPlaces) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("bad.toml", "[memory]\nl1 = \"many\"\n\n[nonsense]\nx = 1\n");
  const Ended ended =
      run(proxy_program(), {"--config", file, "--listen", "nowhere"}, {{"TESSERA_REDIS_TTLL", "1s"}});
  EXPECT_NE(ended.status, 0);
  EXPECT_TRUE(contains(ended.errors, "bad.toml:2")) << ended.errors;
  EXPECT_TRUE(contains(ended.errors, "nonsense")) << ended.errors;
  EXPECT_TRUE(contains(ended.errors, "TESSERA_REDIS_TTLL")) << ended.errors;
  EXPECT_TRUE(contains(ended.errors, "--listen")) << ended.errors;
}

TEST(ProxyCommandLine, RefusesAFileThatIsNotThere) {
  const Ended ended = run(proxy_program(), {"--config", "/nowhere/tessera.toml"});
  EXPECT_NE(ended.status, 0);
  EXPECT_TRUE(contains(ended.errors, "/nowhere/tessera.toml")) << ended.errors;
}

TEST(ProxyCommandLine, SaysThatItsPortIsTaken) {
  OriginProgram origin({"--courses", "2"});
  const std::string address = parse_url(origin.url()).authority();
  const Ended ended =
      run(proxy_program(), {"--listen", address, "--admin", "127.0.0.1:0", "--origin", origin.url()});
  EXPECT_NE(ended.status, 0);
  EXPECT_TRUE(contains(ended.errors, address)) << ended.errors;
}

TEST(OriginCommandLine, SaysThatItsPortIsTaken) {
  OriginProgram origin({"--courses", "2"});
  const std::string address = parse_url(origin.url()).authority();
  const Ended ended = run(origin_program(), {"--listen", address, "--courses", "2"});
  EXPECT_NE(ended.status, 0);
  EXPECT_TRUE(contains(ended.errors, address)) << ended.errors;
}

TEST(OriginCommandLine, KeepsItsDataInAFile) {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments{"--db", directory.file("courses.db"), "--courses", "3"};
  std::string before;
  {
    OriginProgram origin(arguments);
    ASSERT_EQ(origin.change("PATCH", "/courses/1", R"({"title":"kept"})").status, 200);
    before = origin.get("/courses/jbuilder").body;
    EXPECT_EQ(origin.process().terminate(), 0);
  }
  OriginProgram origin(arguments);
  EXPECT_TRUE(contains(before, "kept"));
  EXPECT_EQ(origin.get("/courses/jbuilder").body, before);
}

}  // namespace
}  // namespace tessera::test
