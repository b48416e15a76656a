#include <gtest/gtest.h>

#include "json/slicer_fuzz.h"
#include "tests/corpus/replay.h"

namespace tessera::json {
namespace {

TEST(SlicerCorpus, Holds) {
  EXPECT_GT(corpus::replay("slicer", fuzz_slicer), 1000U);
}

}  // namespace
}  // namespace tessera::json
