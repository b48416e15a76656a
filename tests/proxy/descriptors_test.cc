#include "proxy/descriptors.h"

#include <algorithm>
#include <limits>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "tests/support/programs.h"
#include "tests/support/scripted_origin.h"

namespace tessera::proxy {
namespace {

TEST(Descriptors, SufficeForTheConnectionsOfTheSettingsOrForFewer) {
  config::Settings settings;
  settings.limits.connections = 1'000;
  EXPECT_EQ(affordable_connections(settings, 2, 1'000'000), 1'000u);
  EXPECT_EQ(affordable_connections(settings, 2, std::numeric_limits<std::size_t>::max()), 1'000u);
  const auto few = affordable_connections(settings, 2, 1'024);
  EXPECT_LT(few, 512u);
  EXPECT_GT(few, 400u);
  settings.redis.address = "redis://localhost:6379/0";
  EXPECT_LT(affordable_connections(settings, 2, 1'024), few);
  EXPECT_EQ(affordable_connections(settings, 2, 3), 1u);
}

// Few requests are out at once: clients that wait, or have been served from the cache, need one each.
TEST(Descriptors, AreNotKeptForMoreRequestsThanMayBeOut) {
  config::Settings settings;
  const auto any = affordable_connections(settings, 2, 10'000);
  settings.origin.max_requests = 100;
  settings.origin.max_idle = 10;
  const auto bound = affordable_connections(settings, 2, 10'000);
  EXPECT_EQ(bound, std::min<std::size_t>(settings.limits.connections, 2 * any - 2 * (100 + 10)));
  settings.origin.max_requests = 1'000'000;
  EXPECT_EQ(affordable_connections(settings, 2, 10'000), any);
}

TEST(Descriptors, SufficeForAllListenersTogether) {
  config::Settings settings;
  const auto of_one = affordable_connections(settings, 2, 4'096);
  settings.tls.address = "127.0.0.1:0";
  EXPECT_EQ(affordable_connections(settings, 2, 4'096), of_one / 2);
  EXPECT_LT(2 * 2 * affordable_connections(settings, 2, 4'096) + kAdminConnections, 4'096u);
}

TEST(Descriptors, RaiseTheSoftLimitToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit lower{before.rlim_cur - 1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  raise_descriptor_limit();
  rlimit after{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// The program whose limit is lowered while it runs: it must neither end nor spin nor fill the log.
TEST(Descriptors, RunningOutOfThemIsSurvivedQuietly) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "UBSan opens a pipe to look at an object: without descriptors it takes each for a bad one";
#endif
  test::ScriptedOrigin origin([](const test::SeenRequest&) { return test::json_reply("{}"); });
  test::ProxyProgram proxy(origin.url(), {"--threads", "1"});
  ASSERT_EQ(proxy.get("/x").status, 200);
  const auto pid = proxy.process().pid();
  rlimit whole{};
  ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, nullptr, &whole), 0);
  const rlimit none{3, whole.rlim_max};
  ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, &none, nullptr), 0);
  test::Connection waiting(proxy.url());
  ASSERT_TRUE(waiting.send_raw("GET /y HTTP/1.1\r\nHost: a\r\n\r\n"));
  proxy.process().wait_for_line("accepting connections pauses");
  // Several tries fail meanwhile.
  const auto spent = proxy.process().cpu_time();
  EXPECT_FALSE(waiting.closed_by_peer(std::chrono::milliseconds(500)));
  EXPECT_LT(proxy.process().cpu_time() - spent, std::chrono::milliseconds(250));
  ASSERT_EQ(::prlimit(pid, RLIMIT_NOFILE, &whole, nullptr), 0);
  EXPECT_EQ(waiting.read_reply().status, 200);
  const auto log = proxy.process().errors();
  const std::string_view pause = "accepting connections pauses";
  EXPECT_EQ(log.find(pause, log.find(pause) + 1), std::string::npos) << log;
}

TEST(Descriptors, AreSaidToBeTooFewAtStart) {
  test::ScriptedOrigin origin([](const test::SeenRequest&) { return test::json_reply("{}"); });
  test::Process proxy("/bin/sh", {"-c", "ulimit -n 200; exec \"$@\"", "sh", test::proxy_program(), "--listen",
                                  "127.0.0.1:0", "--admin", "127.0.0.1:0", "--origin", origin.url()});
  const auto line = proxy.wait_for_line("limits.connections = 10000: ");
  EXPECT_NE(line.find("this process may open 200 files: "), std::string::npos) << line;
  EXPECT_NE(line.find("raise the limit"), std::string::npos) << line;
  proxy.wait_for_line("listening on");
}

}  // namespace
}  // namespace tessera::proxy
