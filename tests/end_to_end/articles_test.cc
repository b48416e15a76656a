// Articles through the proxy: as the origin decodes them, byte for byte, and decoded once.
#include <string>

#include <gtest/gtest.h>

#include "loadtest/sample_document.h"
#include "tests/end_to_end/stack.h"

namespace tessera::test {
namespace {

class ServedArticles : public testing::TestWithParam<std::string> {
 protected:
  std::string path(const std::string& rest = "") const { return "/articles/" + GetParam() + rest; }
  std::uint64_t decoded() const { return stack_.origin.counters().at("articles_decoded"); }
  void expect_equal(const std::string& target) {
    const Reply reply = stack_.proxy.get(target);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, stack_.origin.get(target).body) << target;
  }

  Stack stack_{{"--courses", "0"}};
};

INSTANTIATE_TEST_SUITE_P(Codec, ServedArticles, testing::Values("yaml", "json", "msgpack"));

TEST_P(ServedArticles, AreCachedAndFollowEveryChange) {
  expect_equal(path());  // none yet
  ASSERT_EQ(stack_.origin.change("POST", path(), loadtest::sample_document()).status, 201);
  for (int i = 2; i <= 12; ++i) {
    ASSERT_EQ(
        stack_.origin.change("POST", path(), R"({"n":)" + std::to_string(i) + R"(,"yes":"<no>"})").status,
        201);
  }
  expect_equal(path());
  expect_equal(path());
  EXPECT_TRUE(stack_.proxy.comes_to_hit(path()));
  const std::uint64_t before = decoded();
  EXPECT_TRUE(stack_.proxy.comes_to_hit(path()));
  EXPECT_EQ(decoded(), before);  // none for a hit

  // The first answer put together from records is compared with the whole collection, once.
  ASSERT_EQ(stack_.origin.change("POST", path(), R"(["first"])").status, 201);
  expect_equal(path());
  ASSERT_TRUE(stack_.proxy.metric_reaches(1, "tessera_verified_total"));

  ASSERT_EQ(stack_.origin.change("POST", path(), R"(["new"])").status, 201);
  const std::uint64_t written = decoded();
  EXPECT_EQ(stack_.proxy.get(path()).status, 200);
  EXPECT_EQ(decoded(), written + 1);  // the new one only
  expect_equal(path());

  ASSERT_EQ(stack_.origin.change("DELETE", path("/5")).status, 204);
  ASSERT_EQ(stack_.origin.change("DELETE", path("/14")).status, 204);
  const std::uint64_t deleted = decoded();
  EXPECT_EQ(stack_.proxy.get(path()).body.find(R"("id":"5")"), std::string::npos);
  EXPECT_EQ(decoded(), deleted);
  expect_equal(path());
  expect_equal(path("?limit=3"));
  expect_equal(path("/7"));  // a single one passes
}

}  // namespace
}  // namespace tessera::test
