#include "cache/redis/error_reply.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache::redis {
namespace {

Reply error(std::string text) {
  Reply reply;
  reply.kind = Reply::Kind::error;
  reply.text = std::move(text);
  return reply;
}

TEST(RedisErrorReply, IsClassifiedByItsFirstWord) {
  EXPECT_EQ(classify_error("LOADING Redis is loading the dataset in memory"), RemoteFault::loading);
  EXPECT_EQ(classify_error("BUSY Redis is busy running a script."), RemoteFault::loading);
  EXPECT_EQ(classify_error("MASTERDOWN Link with MASTER is down"), RemoteFault::loading);
  EXPECT_EQ(classify_error("TRYAGAIN Multiple keys request during rehashing of slot"), RemoteFault::loading);
  EXPECT_EQ(classify_error("CLUSTERDOWN The cluster is down"), RemoteFault::loading);
  EXPECT_EQ(classify_error("READONLY You can't write against a read only replica."), RemoteFault::readonly);
  EXPECT_EQ(classify_error("OOM command not allowed when used memory > 'maxmemory'."), RemoteFault::oom);
  EXPECT_EQ(classify_error("MOVED 3999 127.0.0.1:6381"), RemoteFault::moved);
  EXPECT_EQ(classify_error("ASK 3999 127.0.0.1:6381"), RemoteFault::moved);
  EXPECT_EQ(classify_error("CROSSSLOT Keys in request don't hash to the same slot"), RemoteFault::moved);
  EXPECT_EQ(classify_error("NOAUTH Authentication required."), RemoteFault::misconfigured);
  EXPECT_EQ(classify_error("WRONGTYPE Operation against a key"), RemoteFault::misconfigured);
  EXPECT_EQ(classify_error("ERR unknown command"), RemoteFault::misconfigured);
  EXPECT_EQ(classify_error(""), RemoteFault::misconfigured);
  EXPECT_EQ(classify_error("LOADINGS"), RemoteFault::misconfigured);
}

TEST(RedisErrorReply, IsCountedOnceForEachReasonAndExchange) {
  Counters counters("redis://host");
  const std::vector<Reply> replies{error("OOM a"), Reply{}, error("LOADING b"), error("OOM c")};
  count_errors("SET", replies, counters);
  const auto health = counters.read();
  EXPECT_EQ(health.faults[static_cast<std::size_t>(RemoteFault::oom)], 1u);
  EXPECT_EQ(health.faults[static_cast<std::size_t>(RemoteFault::loading)], 1u);
  EXPECT_EQ(health.last_error, "redis://host: SET was answered: LOADING b");
}

TEST(RedisErrorReply, IsCutAndCleanedBeforeItIsShown) {
  Counters counters("redis://host");
  const std::vector<Reply> replies{error("ERR \x1b[31m\n" + std::string(10'000, 'x'))};
  count_errors("GET", replies, counters);
  const auto shown = counters.read().last_error;
  EXPECT_LT(shown.size(), 300u);
  EXPECT_TRUE(shown.starts_with("redis://host: GET was answered: ERR ?[31m?x")) << shown;
}

}  // namespace
}  // namespace tessera::cache::redis
