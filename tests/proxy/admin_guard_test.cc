#include "proxy/admin_guard.h"

#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

using Lines = std::initializer_list<std::pair<const char*, const char*>>;

// The status of the refusal; 0 when there is none.
int refusal(const config::AdminSettings& settings, Lines lines, bool needs_token = true) {
  http::RequestHead head;
  for (const auto& [name, value] : lines) EXPECT_TRUE(head.fields.add(name, value));
  const auto response = AdminGuard(settings).refuse(head, needs_token);
  return response ? response->head.status : 0;
}

const config::AdminSettings kOpen{"127.0.0.1:9080", ""};
const config::AdminSettings kToken{"10.0.0.5:9080", "s3cret"};

TEST(AdminGuard, TakesItsOwnNamesWithAnyPort) {
  for (const auto* host :
       {"127.0.0.1", "127.0.0.1:1", "localhost:9080", "LOCALHOST", "[::1]:9080", "127.0.0.2"}) {
    EXPECT_EQ(refusal(kOpen, {{"Host", host}}), 0) << host;
  }
  EXPECT_EQ(refusal(kOpen, {}), 0);
  EXPECT_EQ(refusal(kToken, {{"Host", "10.0.0.5:80"}, {"Authorization", "Bearer s3cret"}}), 0);
}

TEST(AdminGuard, RefusesForeignHosts) {
  for (const auto* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:9080",
                           "10.0.0.6", "", "a b", "127.0.0.1:x", "0.0.0.0"}) {
    EXPECT_EQ(refusal(kOpen, {{"Host", host}}), 403) << host;
  }
}

TEST(AdminGuard, TakesAnyHostOnAllAddressesOnlyWithAToken) {
  EXPECT_EQ(refusal({"0.0.0.0:9080", "s3cret"}, {{"Host", "pod-7:9080"}, {"Authorization", "Bearer s3cret"}}),
            0);
  EXPECT_EQ(refusal({"0.0.0.0:9080", "s3cret"}, {{"Host", "pod-7:9080"}}), 401);
  EXPECT_EQ(refusal({"0.0.0.0:9080", ""}, {{"Host", "pod-7:9080"}}), 403);
}

TEST(AdminGuard, RefusesRequestsFromOtherSites) {
  EXPECT_EQ(refusal(kOpen, {{"Host", "127.0.0.1:9080"}, {"Origin", "http://127.0.0.1:9080"}}), 0);
  EXPECT_EQ(
      refusal(kOpen,
              {{"Host", "localhost"}, {"Origin", "http://localhost:80"}, {"Sec-Fetch-Site", "same-origin"}}),
      0);
  EXPECT_EQ(refusal(kOpen, {{"Host", "127.0.0.1:9080"}, {"Sec-Fetch-Site", "none"}}), 0);
  for (const auto* origin :
       {"http://evil.example", "null", "", "http://127.0.0.1:3000", "https://127.0.0.1:9080",
        "http://127.0.0.1:9080.evil.example", "http://localhost:9080"}) {
    EXPECT_EQ(refusal(kOpen, {{"Host", "127.0.0.1:9080"}, {"Origin", origin}}), 403) << origin;
  }
  for (const auto* site : {"cross-site", "same-site", ""}) {
    EXPECT_EQ(refusal(kOpen, {{"Host", "127.0.0.1:9080"}, {"Sec-Fetch-Site", site}}), 403) << site;
  }
  EXPECT_EQ(refusal(kOpen, {{"Host", "127.0.0.1:9080"},
                            {"Origin", "http://127.0.0.1:9080"},
                            {"Origin", "http://evil.example"}}),
            403);
  EXPECT_EQ(refusal(kOpen, {{"Origin", "http://127.0.0.1:9080"}}), 403);
}

TEST(AdminGuard, WantsTheTokenWhole) {
  EXPECT_EQ(refusal(kToken, {{"Authorization", "Bearer s3cret"}}), 0);
  EXPECT_EQ(refusal(kToken, {{"Authorization", "bearer  s3cret"}}), 0);
  for (const auto* value : {"Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cretx", "Bearer S3cret",
                            "Bearer s3crets3cret", "Basic s3cret", "s3cret", ""}) {
    EXPECT_EQ(refusal(kToken, {{"Authorization", value}}), 401) << value;
  }
  EXPECT_EQ(refusal(kToken, {}), 401);
  EXPECT_EQ(refusal(kToken, {{"Authorization", "Bearer s3cret"}, {"Authorization", "Bearer s3cret"}}), 401);
}

TEST(AdminGuard, AsksHealthChecksForNeitherHostNorToken) {
  EXPECT_EQ(refusal(kToken, {{"Host", "10.1.2.3:9080"}}, false), 0);
  EXPECT_EQ(refusal(kToken, {{"Host", "10.1.2.3:9080"}, {"Origin", "http://evil.example"}}, false), 403);
}

TEST(AdminGuard, ComparesTokensWholeInConstantTime) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abd", "abc"));
  EXPECT_FALSE(equal_in_constant_time("", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abcabc", "abc"));
  EXPECT_FALSE(equal_in_constant_time(std::string_view("\0", 1), ""));
}

}  // namespace
}  // namespace tessera::proxy
