// Two tiers, several sidecars, and an origin or Redis that goes away.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"
#include "tests/support/redis_server.h"

namespace tessera::test {
namespace {

constexpr const char* kTarget = "/courses/jbuilder";
// Sidecars share only what was asked for under the same name.
const FieldLines kHost{{"Host", "courses.test"}};

TEST(Sidecars, ShareTheirRecordsThroughRedis) {
  RedisServer redis;
  Stack stack({"--courses", "40"}, {"--redis", redis.unix_address()});
  const std::string expected = stack.origin.get(kTarget).body;
  stack.proxy.get(kTarget, kHost);
  // Writes to Redis go on behind the answer: a proxy without a memory tier shows when they have been made.
  ProxyProgram witness(stack.origin.url(), {"--redis", redis.unix_address(), "--l1", "0"});
  ASSERT_TRUE(witness.comes_to_hit(kTarget, kHost));

  ProxyProgram second(stack.origin.url(), {"--redis", redis.unix_address()});
  ASSERT_TRUE(second.metric_reaches(1, "tessera_redis_connected"));
  const Reply reply = second.get(kTarget, kHost);
  EXPECT_EQ(reply.body, expected);
  EXPECT_NE(reply.field("Cache-Status").find("l2=40 origin=0"), std::string::npos)
      << reply.field("Cache-Status");
}

TEST(Sidecars, AnswerRightWithoutRedis) {
  RedisServer redis;
  Stack stack({"--courses", "40"}, {"--redis", redis.unix_address(), "--l1", "0"});
  for (const char* fault : {"frozen", "killed"}) {
    if (std::string(fault) == "frozen") {
      redis.freeze();
    } else {
      redis.kill();
    }
    ASSERT_EQ(stack.origin.change("PATCH", "/courses/1", R"({"title":")" + std::string(fault) + "\"}").status,
              200);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(stack.proxy.get(kTarget).body, stack.origin.get(kTarget).body) << fault;
    }
    if (std::string(fault) == "frozen") {
      redis.thaw();
    } else {
      redis.restart();
    }
    EXPECT_EQ(stack.proxy.get(kTarget).body, stack.origin.get(kTarget).body) << fault;
  }
}

TEST(Sidecars, AnswerWithAnErrorWhileTheOriginIsAwayAndAreBackWithIt) {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments{"--db", directory.file("courses.db"), "--courses", "40"};
  std::optional<OriginProgram> origin(std::in_place, arguments);
  ProxyProgram proxy(origin->url());
  const std::string expected = proxy.get(kTarget).body;
  ASSERT_EQ(expected, origin->get(kTarget).body);
  const unsigned short port = parse_url(origin->url()).port;
  origin->process().kill();
  EXPECT_GE(proxy.get(kTarget).status, 502);
  origin.emplace(arguments, port);
  const Reply back = proxy.get(kTarget);
  EXPECT_EQ(back.status, 200);
  EXPECT_EQ(back.body, expected);
}

TEST(Sidecars, ServeTheLastAnswerOfAnOriginThatIsAwayWhenToldTo) {
  OriginProgram origin({"--courses", "40"});
  ProxyProgram proxy(origin.url(), {}, R"(
[[route]]
name = "courses"
path = "/courses/{rendering}"
array = "/courses"
stale_if_error = "60s"
)");
  proxy.get(kTarget);
  const Reply fresh = proxy.get(kTarget);
  origin.process().kill();
  const Reply stale = proxy.get(kTarget);
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.body, fresh.body);
  EXPECT_NE(stale.field("Cache-Status").find("stale-if-error"), std::string::npos)
      << stale.field("Cache-Status");
  EXPECT_TRUE(stale.has("Age"));
}

}  // namespace
}  // namespace tessera::test
