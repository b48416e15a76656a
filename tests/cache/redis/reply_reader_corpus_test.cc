#include <gtest/gtest.h>

#include "cache/redis/reply_reader_fuzz.h"
#include "tests/corpus/replay.h"

namespace tessera::cache::redis {
namespace {

TEST(RedisReplyReaderCorpus, Holds) {
  EXPECT_GT(corpus::replay("reply_reader", fuzz_reply_reader), 1'000U);
}

}  // namespace
}  // namespace tessera::cache::redis
