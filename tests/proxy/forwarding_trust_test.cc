// Peers whose word on the client counts.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proxy/forwarding_rig.h"

namespace tessera::proxy {
namespace {

http::Request from_our_proxy(std::initializer_list<http::Field> lines) {
  auto request = request_of(lines);
  request.trusted = true;
  return request;
}

TEST(TrustedPeer, IsBelievedAndExtended) {
  const auto request = from_our_proxy({{"Host", "internal"},
                                       {"X-Forwarded-For", "203.0.113.9, 10.0.0.2"},
                                       {"X-Forwarded-Proto", "https"},
                                       {"X-Forwarded-Host", "shop.example"},
                                       {"X-Forwarded-Port", "443"},
                                       {"Forwarded", "for=203.0.113.9;proto=https"},
                                       {"X-Original-URL", "/a"},
                                       {"X-HTTP-Method-Override", "PUT"}});
  const auto head = forwarded_head(request);
  const auto& fields = head.fields;
  EXPECT_EQ(fields.joined("X-Forwarded-For"), "203.0.113.9, 10.0.0.2, 192.0.2.7");
  EXPECT_EQ(fields.joined("X-Forwarded-Proto"), "https");
  EXPECT_EQ(fields.joined("X-Forwarded-Host"), "shop.example");
  EXPECT_EQ(fields.joined("X-Forwarded-Port"), "443");
  EXPECT_EQ(fields.joined("Forwarded"),
            "for=203.0.113.9;host=shop.example;proto=https, for=10.0.0.2, "
            "for=192.0.2.7;host=internal;proto=http");
  EXPECT_EQ(fields.joined("X-Original-URL"), "/a");
  EXPECT_EQ(fields.joined("X-HTTP-Method-Override"), "PUT");
}

TEST(TrustedPeer, DoesNotVouchForAForwardedThatItPassedOn) {
  // nginx writes X-Forwarded-For and leaves Forwarded to whoever made it up.
  const auto request = from_our_proxy({{"Host", "a"},
                                       {"X-Forwarded-For", "203.0.113.9"},
                                       {"Forwarded", "for=127.0.0.1;host=evil;proto=https"}});
  EXPECT_EQ(forwarded_head(request).fields.joined("Forwarded"),
            "for=203.0.113.9;host=a;proto=http, for=192.0.2.7;host=a;proto=http");
}

TEST(TrustedPeer, SaysTheFirstHopsScheme) {
  const auto request = from_our_proxy({{"Host", "a"}, {"X-Forwarded-Proto", "https, http"}});
  EXPECT_EQ(forwarded_head(request).fields.joined("X-Forwarded-Proto"), "https");
}

TEST(TrustedPeer, HasItsForwardedForTranslated) {
  const auto request = from_our_proxy({{"Host", "internal"},
                                       {"X-Forwarded-For", "2001:db8::1, 10.0.0.2"},
                                       {"X-Forwarded-Proto", "HTTPS"},
                                       {"X-Forwarded-Host", "shop.example"}});
  EXPECT_EQ(forwarded_head(request).fields.joined("Forwarded"),
            "for=\"[2001:db8::1]\";host=shop.example;proto=https, for=10.0.0.2, "
            "for=192.0.2.7;host=internal;proto=http");
}

TEST(TrustedPeer, LetsNoClientsSpellingThrough) {
  const auto request = from_our_proxy({{"Host", "a"},
                                       {"X_Forwarded_For", "6.6.6.6"},
                                       {"X_Forwarded_Host", "evil"},
                                       {"X_Original_URL", "/evil"},
                                       {"Proxy", "evil:1"},
                                       {"X-Forwarded-Proto", "gopher"},
                                       {"X-Forwarded-Host", "one"},
                                       {"x-forwarded-host", "two"}});
  const auto head = forwarded_head(request);
  for (const auto name : {"X_Forwarded_For", "X_Forwarded_Host", "X_Original_URL", "Proxy"}) {
    EXPECT_FALSE(head.fields.has(name)) << name;
  }
  EXPECT_EQ(head.fields.joined("X-Forwarded-Proto"), "http");
  EXPECT_EQ(head.fields.joined("X-Forwarded-Host"), "a");
}

TEST(TrustedPeer, SaysWhichKeyItIs) {
  const std::vector<std::vector<std::string>> varies{
      {}, {"x-forwarded-for"}, {"forwarded"}, {"x-forwarded-host"}};
  std::vector<http::Request> requests;
  requests.push_back(request_of({{"Host", "a"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}, {"X-Forwarded-Host", "a"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}, {"X-Forwarded-Host", "b"}}));
  requests.push_back(from_our_proxy({{"Host", "b"}, {"X-Forwarded-Host", "a"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}, {"X-Forwarded-Proto", "https"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}, {"X-Forwarded-For", "203.0.113.9"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}, {"Forwarded", "for=203.0.113.9"}}));
  requests.push_back(from_our_proxy({{"Host", "a"}, {"X-Forwarded-Port", "1"}}));
  for (const auto& vary : varies) {
    for (const auto& one : requests) {
      for (const auto& other : requests) {
        EXPECT_EQ(
            carried_key(one, vary) == carried_key(other, vary),
            lines_of(carried_head(one, vary, "/").fields) == lines_of(carried_head(other, vary, "/").fields));
      }
    }
  }
}

TEST(TrustedPeer, MayAskForAnotherRequest) {
  EXPECT_TRUE(is_overridden(from_our_proxy({{"x-original-url", "/a"}})));
  EXPECT_TRUE(is_overridden(from_our_proxy({{"X-HTTP-Method-Override", "DELETE"}})));
  EXPECT_FALSE(is_overridden(from_our_proxy({{"X-Forwarded-Host", "a"}})));
  EXPECT_FALSE(is_overridden(request_of({{"X-Original-URL", "/a"}})));
}

}  // namespace
}  // namespace tessera::proxy
