#include <gtest/gtest.h>

#include "json/escape_fuzz.h"
#include "tests/corpus/replay.h"

namespace tessera::json {
namespace {

TEST(EscapeCorpus, Holds) {
  EXPECT_GT(corpus::replay("escape", fuzz_escape), 100U);
}

}  // namespace
}  // namespace tessera::json
