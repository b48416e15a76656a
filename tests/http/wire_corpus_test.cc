#include <gtest/gtest.h>

#include "http/chunked_fuzz.h"
#include "http/head_parser_fuzz.h"
#include "tests/corpus/replay.h"

namespace tessera::http {
namespace {

TEST(WireCorpus, HoldsNoHeadThatBreaksAPromise) {
  EXPECT_GT(corpus::replay("head_parser", fuzz_heads), 100U);
}

TEST(WireCorpus, HoldsNoChunksThatBreakAPromise) {
  EXPECT_GT(corpus::replay("chunked", fuzz_chunked), 100U);
}

}  // namespace
}  // namespace tessera::http
