#include <gtest/gtest.h>

#include "cache/cache_fuzz.h"
#include "tests/corpus/replay.h"

namespace tessera::cache {
namespace {

TEST(AssemblerCorpus, Holds) {
  EXPECT_GT(corpus::replay("assembler", fuzz_assembler), 1000U);
}

TEST(ManifestCorpus, Holds) {
  EXPECT_GT(corpus::replay("manifest", fuzz_manifest), 1000U);
}

TEST(StoredValueCorpus, Holds) {
  EXPECT_GT(corpus::replay("stored_value", fuzz_stored_value), 1000U);
}

}  // namespace
}  // namespace tessera::cache
