// The admin listener of the real proxy.
#include <string>

#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"

namespace tessera::test {
namespace {

constexpr const char* kTarget = "/courses/jbuilder";

TEST(Statistics, CountHitsFillsAndPassedRequests) {
  Stack stack({"--courses", "40"}, {"--threads", "1"});  // nobody joins what another loop is about to end
  for (int i = 0; i < 5; ++i) ASSERT_EQ(stack.proxy.get(kTarget).status, 200);
  stack.proxy.get("/nowhere");
  // A response is counted once it has been handed over, which its client may see earlier.
  EXPECT_TRUE(stack.proxy.metric_reaches(1, "tessera_responses_total", {"result=\"passed\""}));
  EXPECT_TRUE(
      stack.proxy.metric_reaches(4, "tessera_responses_total", {"route=\"courses\"", "result=\"hit\""}));
  EXPECT_EQ(stack.proxy.metric("tessera_responses_total", {"route=\"courses\""}), 5);
  EXPECT_EQ(stack.proxy.metric("tessera_requests_total", {"route=\"courses\""}), 5);
}

TEST(Statistics, AreOnTheProxysOwnPortOnlyWhenTheyArePublic) {
  Stack closed({"--courses", "2"}, {}, "", {{"TESSERA_STATS_PUBLIC", "false"}});
  EXPECT_EQ(closed.proxy.get("/__tessera/stats").status, 404);
  Stack open({"--courses", "2"});  // the built-in configuration, which is for the demo
  const Reply reply = open.proxy.get("/__tessera/stats");
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find("\"totals\""), std::string::npos);
}

TEST(Admin, SaysThatTheProxyLivesAndIsReady) {
  Stack stack;
  EXPECT_EQ(get(stack.proxy.admin_url("/healthz")).status, 200);
  EXPECT_EQ(get(stack.proxy.admin_url("/readyz")).status, 200);
}

TEST(Admin, PurgesSoThatEverythingIsFetchedAgain) {
  Stack stack;
  stack.proxy.get(kTarget);
  stack.proxy.get(kTarget);
  const auto before = stack.origin.counters();
  ASSERT_EQ(stack.proxy.admin("POST", "/purge").status, 200);
  EXPECT_EQ(stack.proxy.get(kTarget).body, stack.origin.get(kTarget).body);
  const auto after = stack.origin.counters();
  EXPECT_GE(after.at("courses_rendered") - before.at("courses_rendered"),
            80u);  // the proxy's 40, and our own
}

TEST(Admin, SwitchesARouteOffAndOn) {
  Stack stack;
  stack.proxy.get(kTarget);
  ASSERT_EQ(stack.proxy.admin("POST", "/routes/courses?mode=pass").status / 100, 2);
  EXPECT_NE(stack.proxy.get(kTarget).field("Cache-Status").find("switched-off"), std::string::npos);
  ASSERT_EQ(stack.proxy.admin("POST", "/routes/courses?mode=serve").status / 100, 2);
  EXPECT_TRUE(stack.proxy.comes_to_hit(kTarget));
  EXPECT_EQ(stack.proxy.admin("POST", "/routes/nowhere?mode=pass").status, 404);
}

TEST(Admin, RefusesAForeignHost) {
  Stack stack;
  EXPECT_EQ(request("POST", stack.proxy.admin_url("/purge"), {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(request("POST", stack.proxy.admin_url("/purge"), {{"Origin", "http://evil.example"}}).status,
            403);
}

}  // namespace
}  // namespace tessera::test
