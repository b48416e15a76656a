#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "config/version.h"
#include "tests/config/faults.h"
#include "tests/support/temporary.h"

namespace tessera::config {
namespace {

using Action = CommandLine::Action;
using testing::HasSubstr;
using testing::Not;

CommandLine run(std::vector<std::string> arguments, const Environment& environment = {}) {
  arguments.insert(arguments.begin(), "tessera-proxy");
  std::vector<const char*> argv;
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  return read_command_line(static_cast<int>(arguments.size()), argv.data(), environment);
}

TEST(CommandLine, RunsTheCourseDemoWithoutAnyArguments) {
  const auto line = run({});
  EXPECT_EQ(line.action, Action::run);
  EXPECT_EQ(line.output, "");
  EXPECT_EQ(line.settings.origin.url, (std::vector<std::string>{"http://127.0.0.1:3042"}));
  EXPECT_TRUE(line.settings.stats.public_endpoint);
  ASSERT_EQ(line.settings.routes.size(), 3u);
  const auto& json_api = line.settings.routes[0];
  EXPECT_EQ(json_api.path, "/courses/fast_jsonapi");
  EXPECT_EQ(json_api.array, "/data");
  EXPECT_EQ(json_api.included, "/included");
  EXPECT_EQ(json_api.types, (std::map<std::string, std::string>{{"slide", "fast_slide"}}));
  const auto& courses = line.settings.routes[1];
  EXPECT_EQ(courses.path, "/courses/{rendering}");
  EXPECT_EQ(courses.array, std::nullopt);
  EXPECT_EQ(courses.records_audience, "shared");
  EXPECT_EQ(line.settings.routes[2].path, "/articles/{codec}");
}

TEST(CommandLine, LetsFlagsBeatTheEnvironmentAndThatBeatTheFile) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write(
      "tessera.toml",
      "[redis]\nttl = \"1h\"\nprefix = \"file\"\n[memory]\nl1 = \"1MiB\"\n[listen]\nthreads = 1\n");
  const Environment environment{
      {"TESSERA_REDIS_PREFIX", "env"}, {"TESSERA_MEMORY_L1", "2MiB"}, {"TESSERA_LISTEN_THREADS", "2"}};
  const auto line = run({"--config", file, "--l1=3MiB", "--threads", "3"}, environment);
  ASSERT_EQ(line.action, Action::run) << line.output;
  EXPECT_EQ(line.settings.redis.ttl, Millis{3'600'000});
  EXPECT_EQ(line.settings.redis.prefix, "env");
  EXPECT_EQ(line.settings.memory.l1, Bytes{3ull << 20});
  EXPECT_EQ(line.settings.listen.threads, 3u);
}

TEST(CommandLine, TakesEveryFlagThatUsersRelyOn) {
  const auto line = run({"--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--origin", "http://o:1",
                         "--redis", "redis://r:1/2", "--l1", "0", "--threads", "2"});
  ASSERT_EQ(line.action, Action::run) << line.output;
  EXPECT_EQ(line.settings.listen.address, "127.0.0.1:0");
  EXPECT_EQ(line.settings.admin.address, "127.0.0.1:0");
  EXPECT_EQ(line.settings.origin.url, (std::vector<std::string>{"http://o:1"}));
  EXPECT_EQ(line.settings.redis.address, "redis://r:1/2");
  EXPECT_EQ(line.settings.memory.l1, Bytes{0});
}

TEST(CommandLine, LeavesRedisOutWhateverFileAndEnvironmentSay) {
  const auto line = run({"--no-redis"}, {{"TESSERA_REDIS_ADDRESS", "redis://r:1"}});
  ASSERT_EQ(line.action, Action::run) << line.output;
  EXPECT_EQ(line.settings.redis.address, "");
  const auto both = run({"--no-redis", "--redis", "redis://r:1"});
  EXPECT_EQ(both.action, Action::fail);
  EXPECT_THAT(both.output, HasSubstr("--no-redis: contradicts --redis; leave one of them out"));
}

TEST(CommandLine, PrintsTheSettingsInEffectWithoutSecrets) {
  const auto line =
      run({"--check", "--redis", "redis://u:hunter2@r:1", "--l1", "0"}, {{"TESSERA_ADMIN_TOKEN", "hunter2"}});
  ASSERT_EQ(line.action, Action::check) << line.output;
  EXPECT_THAT(line.output, Not(HasSubstr("hunter2")));
  EXPECT_THAT(line.output, HasSubstr("address = \"redis://u:***@r:1\""));
  EXPECT_THAT(line.output, HasSubstr("token = \"***\""));
  EXPECT_THAT(line.output, HasSubstr("l1 = 0\n"));
  const auto again = parse_toml(line.output, "check");
  ASSERT_TRUE(again);
  EXPECT_EQ(to_toml(*again), line.output);
}

TEST(CommandLine, ReportsTheFaultsOfAllSourcesTogetherEachWithItsPlace) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write(
      "tessera.toml", "[redis]\nttl = \"0s\"\ntll = \"1s\"\n[admin]\naddress = \"0.0.0.0:9080\"\n");
  const auto line =
      run({"--config", file, "--l1", "5", "--treads", "2", "extra"}, {{"TESSERA_REDIS_PREFIX", "a*"}});
  ASSERT_EQ(line.action, Action::fail);
  EXPECT_THAT(line.output, HasSubstr("7 faults"));
  EXPECT_THAT(line.output, HasSubstr("--treads: there is no such option; did you mean --threads?"));
  EXPECT_THAT(line.output, HasSubstr("extra: is not understood"));
  EXPECT_THAT(line.output, HasSubstr(file + ":3: [redis] has no setting tll"));
  EXPECT_THAT(line.output, HasSubstr(file + ":2: redis.ttl = \"0s\" is out of range"));
  EXPECT_THAT(line.output, HasSubstr("environment TESSERA_REDIS_PREFIX: redis.prefix = \"a*\""));
  EXPECT_THAT(line.output, HasSubstr("--l1: memory.l1 = 5 is out of range"));
  EXPECT_THAT(line.output, HasSubstr(file + ":5: admin.address"));
}

TEST(CommandLine, SaysWhyAFileCannotBeRead) {
  const auto missing = run({"--config", "/nonexistent/tessera.toml"});
  EXPECT_EQ(missing.action, Action::fail);
  EXPECT_THAT(missing.output,
              HasSubstr("--config /nonexistent/tessera.toml: cannot be read: No such file or directory"));
  EXPECT_THAT(run({"--config", "/"}).output, HasSubstr("cannot be read: Is a directory"));
  EXPECT_THAT(run({"--config", "/dev/zero"}).output, HasSubstr("larger than 4 MiB"));
  EXPECT_THAT(run({"--config"}).output, HasSubstr("command line: --config"));
}

TEST(CommandLine, ReadsAPipeOnceAndWaitsForNobodyToWriteIt) {
  const test::TemporaryDirectory directory;
  const auto pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int both = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  const std::string text = "[listen]\nthreads = 7\n";
  ASSERT_EQ(::write(both, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_CLOEXEC);
  ::close(both);
  EXPECT_EQ(run({"--config", pipe}).settings.listen.threads, 7u);
  EXPECT_THAT(run({"--config", pipe}).output, HasSubstr("nothing comes out of it"));
  ::close(reader);
}

TEST(CommandLine, AnswersHelpAndVersionWhateverElseIsWrong) {
  const Environment wrong{{"TESSERA_REDIS_TLL", "5m"}};
  const auto help = run({"--help", "--bogus"}, wrong);
  EXPECT_EQ(help.action, Action::help);
  for (const auto* flag : {"--config", "--check", "--help-config", "--version", "--listen", "--admin",
                           "--origin", "--redis", "--no-redis", "--l1", "--threads"}) {
    EXPECT_THAT(help.output, HasSubstr(flag));
  }
  const auto version = run({"--version"}, wrong);
  EXPECT_EQ(version.action, Action::version);
  EXPECT_EQ(version.output, "tessera-proxy " + std::string(kVersion) + "\n");
  const auto help_config = run({"--help-config"}, wrong);
  EXPECT_EQ(help_config.action, Action::help_config);
  EXPECT_EQ(help_config.output, help_text());
}

TEST(CommandLine, NeverThrowsWhateverTheArguments) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{""},
                                             {"-"},
                                             {"--"},
                                             {"---"},
                                             {"--="},
                                             {"--l1"},
                                             {"--l1="},
                                             {"--l1", "--l1"},
                                             {"--threads", "1", "--threads", "2"},
                                             {"--check=maybe"},
                                             {"-x"},
                                             {"--config="},
                                             {"--listen", std::string(1'000'000, 'a')},
                                             {"\xFF\xFE"}}) {
    const auto line = run(arguments);
    EXPECT_TRUE(line.action != Action::fail || contains(line.output, "not started")) << line.output;
    EXPECT_NE(line.action, Action::help_config);
  }
  EXPECT_EQ(read_command_line(0, std::vector<const char*>{nullptr}.data(), {}).action, Action::run);
}

}  // namespace
}  // namespace tessera::config
