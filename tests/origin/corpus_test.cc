#include <gtest/gtest.h>

#include "origin/course_input_fuzz.h"
#include "origin/selection_fuzz.h"
#include "tests/corpus/replay.h"

namespace tessera::origin {
namespace {

TEST(CourseInputCorpus, Holds) {
  EXPECT_GT(corpus::replay("course_input", fuzz_course_input), 100U);
}

TEST(SelectionCorpus, Holds) {
  EXPECT_GT(corpus::replay("selection", fuzz_selection), 100U);
}

}  // namespace
}  // namespace tessera::origin
