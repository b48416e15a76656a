#include "proxy/forwarding.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proxy/forwarding_rig.h"

namespace tessera::proxy {
namespace {

using ::testing::ElementsAre;

TEST(AddForwarded, SaysWhatWeKnowOfTheClient) {
  const auto request = request_of({{"Host", "api.example"}});
  http::Fields fields;
  add_forwarded(fields, request);
  EXPECT_THAT(lines_of(fields), ElementsAre("X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: http",
                                            "X-Forwarded-Host: api.example",
                                            "Forwarded: for=192.0.2.7;host=api.example;proto=http"));
}

TEST(AddForwarded, QuotesWhatIsNoToken) {
  struct Row {
    std::string peer;
    std::string host;
    bool tls;
    std::string forwarded_for;
    std::string forwarded;
  };
  const Row rows[] = {
      {"2001:db8::17", "a", false, "2001:db8::17", R"(for="[2001:db8::17]";host=a;proto=http)"},
      {"::1", "[::1]:8080", true, "::1", R"(for="[::1]";host="[::1]:8080";proto=https)"},
      {"fe80::1%eth0", "a:80", false, "fe80::1", R"(for="[fe80::1]";host="a:80";proto=http)"},
      {"", "a", false, "unknown", "for=unknown;host=a;proto=http"},
      {"192.0.2.7", R"(a";for=6.6.6.6;x="\)", false, "192.0.2.7",
       R"(for=192.0.2.7;host="a\";for=6.6.6.6;x=\"\\";proto=http)"},
      {"192.0.2.7", "a, b", false, "192.0.2.7", R"(for=192.0.2.7;host="a, b";proto=http)"},
  };
  for (const auto& row : rows) {
    auto request = request_of({{"Host", row.host}});
    request.peer_address = row.peer;
    request.tls = row.tls;
    http::Fields fields;
    add_forwarded(fields, request);
    EXPECT_EQ(fields.get("X-Forwarded-For"), row.forwarded_for);
    EXPECT_EQ(fields.get("X-Forwarded-Host"), row.host);
    EXPECT_EQ(fields.get("X-Forwarded-Proto"), row.tls ? "https" : "http");
    EXPECT_EQ(fields.get("Forwarded"), row.forwarded);
  }
}

TEST(AddForwarded, SaysNoHostWhenTheClientSentNone) {
  http::Fields fields;
  add_forwarded(fields, request_of({}));
  EXPECT_FALSE(fields.has("X-Forwarded-Host"));
  EXPECT_EQ(fields.get("Forwarded"), "for=192.0.2.7;proto=http");
}

TEST(AddForwarded, RemovesTheClientsOwnClaimsInEverySpelling) {
  for (const std::string name : {"X-Forwarded-For",
                                 "x-forwarded-proto",
                                 "X-FORWARDED-HOST",
                                 "X-Forwarded-Port",
                                 "X-Forwarded-Prefix",
                                 "X-Forwarded-Server",
                                 "X-Forwarded-Ssl",
                                 "X-Forwarded-User",
                                 "X-Forwarded",
                                 "Forwarded",
                                 "X-Original-URL",
                                 "X-Rewrite-URL",
                                 "X-HTTP-Method-Override",
                                 "X-HTTP-Method",
                                 "X-Method-Override",
                                 "X_Forwarded_For",
                                 "X.Forwarded.Host",
                                 "x_original_url",
                                 "X_HTTP_Method-Override",
                                 "Proxy"}) {
    const auto request = request_of({{"Host", "a"}, {name, "evil"}});
    auto fields = request.head.fields;
    add_forwarded(fields, request);
    for (const auto& line : fields)
      EXPECT_EQ(line.value.find("evil"), std::string::npos) << line.name << " for " << name;
  }
}

TEST(AddForwarded, LeavesOtherFieldsAlone) {
  const auto request = request_of(
      {{"Host", "a"}, {"X-Forward", "1"}, {"X-Request-Id", "2"}, {"From", "3"}, {"Proxy-Use", "4"}});
  auto fields = request.head.fields;
  add_forwarded(fields, request);
  EXPECT_EQ(fields.get("X-Forward"), "1");
  EXPECT_EQ(fields.get("X-Request-Id"), "2");
  EXPECT_EQ(fields.get("From"), "3");
  EXPECT_EQ(fields.get("Proxy-Use"), "4");
}

TEST(AddVia, AppendsToTheList) {
  http::Fields fields;
  add_via(fields, 11);
  EXPECT_THAT(lines_of(fields), ElementsAre("Via: 1.1 tessera"));
  add_via(fields, 10);
  EXPECT_THAT(lines_of(fields), ElementsAre("Via: 1.1 tessera, 1.0 tessera"));
  auto several = fields_of({{"via", "1.0 fred"}, {"Via", "2 edge (x, y)"}});
  add_via(several, 11);
  EXPECT_THAT(several.joined("Via"), "1.0 fred, 2 edge (x, y), 1.1 tessera");
}

TEST(ForwardedHead, KeepsMethodTargetAndEndToEndFieldsInTheirOrder) {
  auto request = request_of({{"Host", "api.example"},
                             {"Cookie", "a=1"},
                             {"Connection", "close, X-Foo, Cookie, Host"},
                             {"X-Foo", "1"},
                             {"Upgrade", "websocket"},
                             {"Content-Length", "5"},
                             {"Cookie", "b=2"},
                             {"If-None-Match", "\"x\""},
                             {"X-Forwarded-For", "6.6.6.6"},
                             {"Via", "1.0 fred"}});
  request.head.method = "POST";
  request.head.target = "/a?b=%zz&&c";
  request.head.version = 10;
  const auto head = forwarded_head(request);
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/a?b=%zz&&c");
  EXPECT_EQ(head.version, 11u);
  EXPECT_THAT(
      lines_of(head.fields),
      ElementsAre("Host: api.example", "Cookie: a=1", "Cookie: b=2", "If-None-Match: \"x\"",
                  "Via: 1.0 fred, 1.0 tessera", "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: http",
                  "X-Forwarded-Host: api.example", "Forwarded: for=192.0.2.7;host=api.example;proto=http"));
}

TEST(CarriedHead, HasTheFieldsOfTheContractAndNoOthers) {
  auto request = request_of({{"Host", "api.example"},
                             {"Authorization", "Bearer x"},
                             {"cookie", "a=1"},
                             {"Cookie", "b=2"},
                             {"Accept-Language", "fr"},
                             {"Origin", "https://a.example"},
                             {"Accept", "application/json"},
                             {"Accept-Encoding", "gzip"},
                             {"User-Agent", "curl"},
                             {"If-None-Match", "\"x\""},
                             {"If-Modified-Since", "x"},
                             {"Range", "bytes=0-1"},
                             {"Cache-Control", "no-cache"},
                             {"X-Forwarded-For", "6.6.6.6"},
                             {"Via", "1.0 fred"},
                             {"X-Tenant", "7"},
                             {"Content-Type", "text/plain"}});
  request.head.method = "HEAD";
  const auto head = carried_head(request, {}, "/m?x=1");
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.target, "/m?x=1");
  EXPECT_EQ(head.version, 11u);
  EXPECT_THAT(lines_of(head.fields),
              ElementsAre("Authorization: Bearer x", "cookie: a=1", "Cookie: b=2", "Host: api.example",
                          "Accept-Language: fr", "Origin: https://a.example", "Accept-Encoding: identity",
                          "X-Forwarded-Proto: http", "X-Forwarded-Host: api.example",
                          "Forwarded: host=api.example;proto=http", "Via: 1.1 tessera"));
}

TEST(CarriedHead, AddsTheRoutesVaryFieldsOnce) {
  const auto request = request_of({{"X-Tenant", "7"}, {"x-tenant", "8"}, {"Cookie", "a=1"}, {"Other", "1"}});
  const auto head = carried_head(request, {"x-tenant", "X-Tenant", "cookie", "absent"}, "/");
  EXPECT_EQ(head.fields.joined("X-Tenant"), "7, 8");
  EXPECT_EQ(head.fields.count("Cookie"), 1u);
  EXPECT_FALSE(head.fields.has("Other"));
}

TEST(CarriedHead, DoesNotCarryWhatConnectionNames) {
  const auto request = request_of({{"X-Tenant", "7"}, {"Cookie", "a=1"}, {"Connection", "x-TENANT, Cookie"}});
  const auto head = carried_head(request, {"x-tenant"}, "/");
  EXPECT_FALSE(head.fields.has("X-Tenant"));
  EXPECT_EQ(head.fields.get("Cookie"), "a=1");
}

TEST(CarriedHead, CarriesNothingThatFramesSelectsOrClaims) {
  const std::vector<std::string> vary{"range",      "if-none-match",  "content-length", "transfer-encoding",
                                      "connection", "x-original-url", "expect",         "x-forwarded-port",
                                      "accept",     "accept-encoding"};
  const auto request = request_of({{"Range", "evil"},
                                   {"If-None-Match", "evil"},
                                   {"Content-Length", "evil"},
                                   {"Transfer-Encoding", "evil"},
                                   {"Connection", "evil"},
                                   {"X-Original-URL", "evil"},
                                   {"Expect", "evil"},
                                   {"X-Forwarded-Port", "evil"},
                                   {"Accept", "evil"},
                                   {"Accept-Encoding", "evil"}});
  const auto head = carried_head(request, vary, "/");
  EXPECT_THAT(lines_of(head.fields), ElementsAre("Accept-Encoding: identity", "X-Forwarded-Proto: http",
                                                 "Forwarded: proto=http", "Via: 1.1 tessera"));
}

TEST(CarriedHead, TellsTheClientsAddressOnlyWhenTheRouteVariesOnIt) {
  const auto request = request_of({{"X-Forwarded-For", "6.6.6.6"}, {"Forwarded", "for=6.6.6.6"}});
  const auto by_address = carried_head(request, {"x-forwarded-for"}, "/");
  EXPECT_EQ(by_address.fields.get("X-Forwarded-For"), "192.0.2.7");
  EXPECT_EQ(by_address.fields.get("Forwarded"), "proto=http");
  const auto by_forwarded = carried_head(request, {"Forwarded"}, "/");
  EXPECT_EQ(by_forwarded.fields.get("Forwarded"), "for=192.0.2.7;proto=http");
  EXPECT_FALSE(by_forwarded.fields.has("X-Forwarded-For"));
}

// Requests with equal keys must cause equal requests to the origin, and the reverse.
TEST(CarriedKey, DiffersExactlyWhenTheCarriedHeadDiffers) {
  const std::vector<std::string> vary{"x-tenant", "x-other"};
  std::vector<http::Request> requests{
      request_of({}),
      request_of({{"Authorization", "a"}}),
      request_of({{"Authorization", "b"}}),
      request_of({{"Authorization", ""}}),
      request_of({{"Cookie", "a"}}),
      request_of({{"Cookie", "a"}, {"Cookie", "b"}}),
      request_of({{"Cookie", "b"}, {"Cookie", "a"}}),
      request_of({{"Cookie", "a, b"}}),
      request_of({{"Cookie", "ab"}}),
      request_of({{"Host", "a"}}),
      request_of({{"Host", "A"}}),
      request_of({{"Accept-Language", "a"}}),
      request_of({{"Origin", "a"}}),
      request_of({{"X-Tenant", "a"}}),
      request_of({{"X-Other", "a"}}),
      request_of({{"X-Tenant", "a"}, {"X-Other", "a"}}),
      request_of({{"X-Tenant", "aa"}}),
      request_of({{"X-Tenant", ""}, {"X-Other", ""}}),
  };
  auto tls = request_of({});
  tls.tls = true;
  requests.push_back(tls);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (std::size_t j = 0; j < requests.size(); ++j) {
      const auto a = lines_of(carried_head(requests[i], vary, "/").fields);
      const auto b = lines_of(carried_head(requests[j], vary, "/").fields);
      EXPECT_EQ(carried_key(requests[i], vary) == carried_key(requests[j], vary), a == b)
          << i << " and " << j;
    }
  }
}

TEST(CarriedKey, IgnoresWhatIsNotCarried) {
  const auto plain = request_of({{"Host", "a"}, {"X-Tenant", "7"}});
  auto other = request_of({{"User-Agent", "curl"},
                           {"X-TENANT", "7"},
                           {"X-Forwarded-Host", "evil"},
                           {"X-Forwarded-For", "6.6.6.6"},
                           {"Accept-Encoding", "gzip"},
                           {"host", "a"},
                           {"If-None-Match", "\"x\""},
                           {"Connection", "keep-alive"}});
  other.peer_address = "192.0.2.8";
  EXPECT_EQ(carried_key(plain, {"x-tenant"}), carried_key(other, {"x-tenant"}));
}

TEST(CarriedKey, HoldsTheAddressWhenTheRouteVariesOnIt) {
  const auto one = request_of({});
  auto two = request_of({});
  two.peer_address = "192.0.2.8";
  EXPECT_EQ(carried_key(one, {}), carried_key(two, {}));
  EXPECT_NE(carried_key(one, {"x-forwarded-for"}), carried_key(two, {"x-forwarded-for"}));
  EXPECT_NE(carried_key(one, {"forwarded"}), carried_key(two, {"forwarded"}));
}

TEST(CarriedKey, TreatsANominatedFieldAsAbsent) {
  const auto nominated = request_of({{"X-Tenant", "7"}, {"Connection", "X-Tenant"}});
  EXPECT_EQ(carried_key(nominated, {"x-tenant"}), carried_key(request_of({}), {"x-tenant"}));
}

TEST(IsCarried, NamesWhatAnOriginMayVaryOn) {
  const std::vector<std::string> vary{"X-Tenant", "x-forwarded-for", "range"};
  for (const std::string_view name :
       {"authorization", "cookie", "host", "accept-language", "origin", "accept", "accept-encoding",
        "x-forwarded-proto", "x-forwarded-host", "x-tenant", "x-forwarded-for"}) {
    EXPECT_TRUE(is_carried(name, vary)) << name;
  }
  for (const std::string_view name :
       {"user-agent", "x-other", "*", "", "forwarded", "range", "if-none-match"}) {
    EXPECT_FALSE(is_carried(name, vary)) << name;
  }
  EXPECT_FALSE(is_carried("x-tenant", {}));
  EXPECT_FALSE(is_carried("x-forwarded-for", {}));
}

TEST(AddForwarded, LetsNoStrangerNameHisAddress) {
  for (const char* name :
       {"X-Real-IP", "Client-IP", "X-Client-IP", "True-Client-IP", "X-Cluster-Client-IP"}) {
    http::Request request;
    request.head.fields.add("Host", "a");
    request.head.fields.add(name, "127.0.0.1");
    request.peer_address = "192.0.2.7";
    EXPECT_FALSE(forwarded_head(request).fields.has(name)) << name;
  }
}

TEST(ForwardedHead, CarriesTheRequestsId) {
  auto request = request_of({{"X-Request-Id", "theirs"}});
  EXPECT_EQ(forwarded_head(request).fields.joined("X-Request-Id"), "theirs");
  request.id = "ours";
  EXPECT_EQ(forwarded_head(request).fields.joined("X-Request-Id"), "ours");
}

}  // namespace
}  // namespace tessera::proxy
