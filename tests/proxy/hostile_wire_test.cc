// Both sides at once: hostile clients through a proxy whose origin must see nothing of it, or clean framing;
// and an origin that is hostile itself, whose bytes must never pass for another client's response.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/http/hostile_requests.h"
#include "tests/proxy/hostile_responses.h"
#include "tests/proxy/pass_rig.h"
#include "tests/support/http_request.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {
namespace {

std::string named(const auto& row) {
  return std::string(row.param.name);
}

class HostileRequestsAtTheProxy : public testing::TestWithParam<http::testing::HostileRequest> {};

TEST_P(HostileRequestsAtTheProxy, NeverReachTheOrigin) {
  ScriptedOrigin origin([](const SeenRequest&) { return json_reply("{}"); });
  PassRig proxy(origin.url());
  Connection client(proxy.url());
  client.send_raw(GetParam().bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
  client.finish_sending();
  const std::string answer = client.read_to_end();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 " + std::to_string(GetParam().status) + " ")) << answer;
  EXPECT_EQ(origin.calls(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Table, HostileRequestsAtTheProxy,
                         testing::ValuesIn(http::testing::hostile_requests()),
                         named<testing::TestParamInfo<http::testing::HostileRequest>>);

// What is odd but allowed reaches the origin in one reading only.
struct OddRequest {
  std::string_view name;
  std::string bytes;
  std::string target;
  std::string host;
  std::string body = {};
};

std::ostream& operator<<(std::ostream& out, const OddRequest& request) {
  return out << request.name;
}

class OddRequestsAtTheProxy : public testing::TestWithParam<OddRequest> {};

TEST_P(OddRequestsAtTheProxy, ReachTheOriginWithCleanFraming) {
  ScriptedOrigin origin([](const SeenRequest&) { return json_reply("{}"); });
  PassRig proxy(origin.url());
  Connection client(proxy.url());
  client.send_raw(GetParam().bytes);
  EXPECT_EQ(client.read_reply().status, 200);
  ASSERT_EQ(origin.calls(), 1u);
  const SeenRequest seen = origin.requests().front();
  EXPECT_EQ(seen.target, GetParam().target);
  EXPECT_EQ(seen.field("Host"), GetParam().host);
  EXPECT_EQ(seen.body, GetParam().body);
  EXPECT_EQ(seen.version, "HTTP/1.1");
  const auto framing = std::count_if(seen.fields.begin(), seen.fields.end(), [](const auto& field) {
    return http::equal_ignoring_case(field.first, "Content-Length") ||
           http::equal_ignoring_case(field.first, "Transfer-Encoding");
  });
  EXPECT_LE(framing, 1);
  for (const char* hop : {"Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade",
                          "HTTP2-Settings", "Expect"}) {
    EXPECT_FALSE(seen.has(hop)) << hop;
  }
}

std::vector<OddRequest> odd_requests() {
  const std::string post = "POST /x HTTP/1.1\r\nHost: a\r\n";
  const std::string get = "GET /x HTTP/1.1\r\nHost: a\r\n";
  return {
      {"AbsoluteForm", "GET http://b:81/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "/x?y", "b:81"},
      {"AbsoluteFormWithoutPath", "GET http://b HTTP/1.1\r\nHost: a\r\n\r\n", "/", "b"},
      {"AbsoluteFormWithQueryOnly", "GET http://b?y HTTP/1.1\r\nHost: a\r\n\r\n", "/?y", "b"},
      {"OptionsAbsoluteForm", "OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n", "*", "b"},
      {"EmptyLinesBefore", "\r\n\r\n" + get + "\r\n", "/x", "a"},
      {"LowerCaseMethod", "get /x HTTP/1.1\r\nHost: a\r\n\r\n", "/x", "a"},
      {"UnknownMethod", "FROBNICATE /x HTTP/1.1\r\nHost: a\r\n\r\n", "/x", "a"},
      {"DoubleSlash", "GET //b/x HTTP/1.1\r\nHost: a\r\n\r\n", "//b/x", "a"},
      {"Http10WithHost", "GET /x HTTP/1.0\r\nHost: a\r\n\r\n", "/x", "a"},
      {"MixedCaseCoding", post + "tRANSFER-ENCODING: CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "/x", "a",
       "hello"},
      {"BlanksAroundCoding", post + "Transfer-Encoding: \t chunked \t\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "/x",
       "a", "hello"},
      {"ChunkExtensions", post + "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d\"\r\nhello\r\n0;x\r\n\r\n",
       "/x", "a", "hello"},
      {"LeadingZerosInChunkSize", post + "Transfer-Encoding: chunked\r\n\r\n0005\r\nhello\r\n0000\r\n\r\n",
       "/x", "a", "hello"},
      {"Trailers",
       post + "Transfer-Encoding: chunked\r\nTrailer: "
              "Content-Length\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n",
       "/x", "a", "hello"},
      {"SameLengthTwice", post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "/x", "a", "hello"},
      {"LeadingZerosInLength", post + "Content-Length: 0005\r\n\r\nhello", "/x", "a", "hello"},
      {"BodyOfAGet", get + "Content-Length: 5\r\n\r\nhello", "/x", "a", "hello"},
      {"ConnectionNamesFraming",
       post + "Connection: close, content-length, host\r\nContent-Length: 5\r\n\r\nhello", "/x", "a",
       "hello"},
      {"ConnectionNamesCoding",
       post + "Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
       "/x", "a", "hello"},
      {"UpgradeToCleartextHttp2",
       get + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n", "/x",
       "a"},
      {"ProxyConnection", get + "Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n", "/x", "a"},
      {"CodingsOfTheReply", get + "TE: gzip, deflate;q=0.5\r\nConnection: TE\r\n\r\n", "/x", "a"},
      {"HostWithTrailingDot", "GET /x HTTP/1.1\r\nHost: a.\r\n\r\n", "/x", "a."},
      {"Ipv6Host", "GET /x HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "/x", "[::1]:80"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, OddRequestsAtTheProxy, testing::ValuesIn(odd_requests()),
                         named<testing::TestParamInfo<OddRequest>>);

class HostileResponsesAtTheProxy : public testing::TestWithParam<HostileResponse> {};

TEST_P(HostileResponsesAtTheProxy, AreRefusedCutOrCleanAndShiftNothing) {
  const HostileResponse& hostile = GetParam();
  ScriptedOrigin origin([&](const SeenRequest& request) {
    if (request.path() != "/hostile") return json_reply("next");
    ScriptedReply reply;
    reply.raw = hostile.bytes;
    if (hostile.closes) reply.cut_after = hostile.bytes.size();
    return reply;
  });
  PassRig proxy(origin.url());
  Connection client(proxy.url());
  const Reply reply = client.get("/hostile");
  switch (hostile.seen) {
    case HostileResponse::Seen::bad_gateway:
      EXPECT_EQ(reply.status, 502) << reply.body;
      EXPECT_EQ(reply.field("Content-Type"), "application/problem+json");
      break;
    case HostileResponse::Seen::cut:
      EXPECT_EQ(reply.status, 200);
      EXPECT_NE(reply.error, "") << "a cut message looks complete";
      break;
    case HostileResponse::Seen::whole:
      EXPECT_EQ(reply.error, "");
      EXPECT_EQ(reply.body, hostile.body);
      break;
  }
  EXPECT_FALSE(reply.has("X-Y")) << "Connection names it";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(proxy.url("/next")).body, "next") << i;
}

INSTANTIATE_TEST_SUITE_P(Table, HostileResponsesAtTheProxy, testing::ValuesIn(hostile_responses()),
                         named<testing::TestParamInfo<HostileResponse>>);

}  // namespace
}  // namespace tessera::test
