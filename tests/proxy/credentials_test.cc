#include "proxy/credentials.h"

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

std::optional<std::string> of_cookies(const std::vector<std::string>& lines,
                                      std::string name = "cookie:sid") {
  http::Fields fields;
  for (const auto& line : lines) EXPECT_TRUE(fields.add("Cookie", line));
  return credentials_of(fields, {std::move(name)});
}

TEST(Credentials, AreThatOneCookieWhereItIsPlain) {
  const auto plain = of_cookies({"sid=1"});
  ASSERT_TRUE(plain);
  for (const char* other :
       {"sid=1; lang=fr", "lang=fr; sid=1", "_ga=2;sid=1", "mysid=3; sid=1", "sidx=1; sid=1"}) {
    EXPECT_EQ(of_cookies({other}), plain) << other;
  }
  EXPECT_NE(of_cookies({"sid=2"}), plain);
  EXPECT_EQ(of_cookies({}), std::nullopt);
  EXPECT_EQ(of_cookies({"lang=fr; mysid=1"}), std::nullopt);
}

TEST(Credentials, AreEverythingWhereSomebodyMayReadTheNameOtherwise) {
  for (const char* odd : {"sid =1", "\tsid=1", "  sid=1", "SID=1", "\"sid\"=1", "%73id=1", "sid[0]=1",
                          "a=1, sid=1", "sid", "sid=0; sid=1", "sid=0; Sid=1", "sid=0, sid=1"}) {
    const auto found = of_cookies({odd});
    ASSERT_TRUE(found) << odd;
    EXPECT_NE(found->find(odd), std::string::npos) << odd;
    EXPECT_NE(found, of_cookies({std::string(odd) + "; a=b"})) << odd;
  }
  EXPECT_NE(of_cookies({"sid=0", "sid=1"}), of_cookies({"sid=0", "sid=2"}));
  EXPECT_NE(of_cookies({"a.b=1"}, "cookie:a_b"), std::nullopt) << "PHP calls it a_b";
}

TEST(Credentials, AreFieldsInTheirOrderEachWithItsLength) {
  http::Fields fields;
  EXPECT_TRUE(fields.add("Authorization", "Bearer a"));
  EXPECT_TRUE(fields.add("Cookie", "sid=1"));
  EXPECT_EQ(credentials_of(fields, {"authorization", "cookie:sid"}),
            "13:authorization8:Bearer a10:cookie:sid1:1");
  EXPECT_EQ(credentials_of(fields, {}), std::nullopt);
}

}  // namespace
}  // namespace tessera::proxy
