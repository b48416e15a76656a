#include "http/tls_certificate.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

TEST(MatchName, PrefersTheExactNameAndLetsAWildcardStandForOneLabel) {
  const std::vector<std::string> names{"a.test", "*.a.test"};
  EXPECT_EQ(match_name(names, "a.test"), NameMatch::exact);
  EXPECT_EQ(match_name(names, "A.Test."), NameMatch::exact);
  EXPECT_EQ(match_name(names, "b.a.test"), NameMatch::wildcard);
  EXPECT_EQ(match_name(names, "c.b.a.test"), NameMatch::none);
  EXPECT_EQ(match_name(names, ".a.test"), NameMatch::none);
  EXPECT_EQ(match_name(names, "test"), NameMatch::none);
  EXPECT_EQ(match_name(names, ""), NameMatch::none);
  EXPECT_EQ(match_name({"b*.a.test"}, "bc.a.test"), NameMatch::none);
}

}  // namespace
}  // namespace tessera::http
