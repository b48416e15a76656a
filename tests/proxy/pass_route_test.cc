#include "proxy/pass_route.h"

#include <future>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/proxy/pass_rig.h"
#include "tests/support/black_hole.h"
#include "tests/support/http_request.h"
#include "tests/support/scripted_origin.h"

namespace tessera::proxy {
namespace {

using namespace std::chrono_literals;
using test::PassRig;
using test::Reply;
using test::ScriptedOrigin;
using test::ScriptedReply;
using test::SeenRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ScriptedReply text_reply(std::string body, test::FieldLines fields = {}) {
  ScriptedReply reply;
  reply.body = std::move(body);
  reply.fields = std::move(fields);
  return reply;
}

ScriptedReply raw_reply(std::string bytes) {
  ScriptedReply reply;
  reply.raw = std::move(bytes);
  return reply;
}

std::uint64_t outcome(const RouteStatistics& statistics, Outcome which) {
  return statistics.outcomes[static_cast<std::size_t>(which)];
}

TEST(PassRoute, PassesRequestAndResponseAsTheyAre) {
  ScriptedOrigin origin([](const SeenRequest&) {
    auto reply = text_reply("the answer",
                            {{"Content-Type", "text/plain"}, {"Set-Cookie", "a=1"}, {"set-cookie", "b=2"}});
    reply.status = 201;
    return reply;
  });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  const auto reply = client.send(
      {"PATCH", "/x?a=%zz&&b=[1]", {{"Cookie", "c=3"}, {"X-Custom", "v"}, {"Host", "api.example"}}, "body"});
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body, "the answer");
  EXPECT_EQ(reply.error, "");
  EXPECT_EQ(reply.field("Content-Type"), "text/plain");
  EXPECT_THAT(reply.lines("Set-Cookie"), ElementsAre("a=1", "b=2"));
  ASSERT_EQ(origin.calls(), 1u);
  const auto seen = origin.requests().front();
  EXPECT_EQ(seen.method, "PATCH");
  EXPECT_EQ(seen.target, "/x?a=%zz&&b=[1]");
  EXPECT_EQ(seen.body, "body");
  EXPECT_EQ(seen.field("Host"), "api.example");
  EXPECT_EQ(seen.field("Cookie"), "c=3");
  EXPECT_EQ(seen.field("X-Custom"), "v");
}

TEST(PassRoute, StopsHopByHopFieldsInBothDirections) {
  ScriptedOrigin origin([](const SeenRequest&) {
    return raw_reply(
        "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: "
        "h2c\r\n"
        "Proxy-Authenticate: Basic\r\nTrailer: X-Sum\r\nX-Kept: 2\r\nContent-Length: 2\r\n\r\nok");
  });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  const auto reply = client.get("/", {{"Connection", "keep-alive, X-Secret, Authorization"},
                                      {"X-Secret", "1"},
                                      {"Authorization", "Bearer x"},
                                      {"Keep-Alive", "timeout=9"},
                                      {"Proxy-Authorization", "Basic eDp5"},
                                      {"TE", "gzip"},
                                      {"Upgrade", "websocket"},
                                      {"X-Kept", "3"}});
  EXPECT_EQ(reply.body, "ok");
  for (const std::string_view name : {"X-Hop", "Keep-Alive", "Upgrade", "Proxy-Authenticate", "Trailer"}) {
    EXPECT_FALSE(reply.has(name)) << name;
  }
  EXPECT_EQ(reply.field("X-Kept"), "2");
  const auto seen = origin.requests().front();
  for (const std::string_view name : {"X-Secret", "Keep-Alive", "Proxy-Authorization", "TE", "Upgrade"}) {
    EXPECT_FALSE(seen.has(name)) << name;
  }
  EXPECT_EQ(seen.field("X-Kept"), "3");
  EXPECT_EQ(seen.field("Authorization"), "Bearer x");
}

TEST(PassRoute, OverwritesWhatAClientClaimsToBe) {
  ScriptedOrigin origin(
      [](const SeenRequest& seen) { return text_reply("host " + seen.field("X-Forwarded-Host")); });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  const auto spoofed = client.get("/", {{"Host", "api.example"},
                                        {"X-Forwarded-Host", "evil"},
                                        {"X_Forwarded_Host", "evil"},
                                        {"X-Forwarded-For", "6.6.6.6"},
                                        {"X-Forwarded-Proto", "evil"},
                                        {"X-Forwarded-Port", "666"},
                                        {"Forwarded", "for=6.6.6.6;host=evil"},
                                        {"X-Original-URL", "/evil"},
                                        {"X-HTTP-Method-Override", "DELETE"}});
  EXPECT_EQ(spoofed.body, "host api.example");
  const auto seen = origin.requests().front();
  for (const auto& [name, value] : seen.fields) EXPECT_THAT(value, Not(HasSubstr("evil"))) << name;
  EXPECT_EQ(seen.field("X-Forwarded-For"), "127.0.0.1");
  EXPECT_EQ(seen.field("X-Forwarded-Proto"), "http");
  EXPECT_EQ(seen.field("Forwarded"), "for=127.0.0.1;host=api.example;proto=http");
  EXPECT_FALSE(seen.has("X-HTTP-Method-Override"));
  EXPECT_FALSE(seen.has("X-Forwarded-Port"));
}

TEST(PassRoute, SaysThatItStandsBetween) {
  ScriptedOrigin origin([](const SeenRequest&) { return text_reply("", {{"Via", "1.1 inner"}}); });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  EXPECT_EQ(client.get("/", {{"Via", "1.0 outer"}}).field("Via"), "1.1 inner, 1.1 tessera");
  EXPECT_EQ(origin.requests().front().field("Via"), "1.0 outer, 1.1 tessera");
}

// RFC 9110 7.6.3: the version is that of the message that came.
TEST(PassRoute, SaysWhichVersionTheOriginSpoke) {
  ScriptedOrigin origin([](const SeenRequest&) {
    ScriptedReply reply;
    reply.raw = "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n";
    return reply;
  });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  EXPECT_EQ(client.get("/").field("Via"), "1.0 tessera");
}

TEST(PassRoute, AnswersHeadWithTheLengthAndNoBody) {
  ScriptedOrigin origin([](const SeenRequest&) { return text_reply(std::string(5'000, 'x')); });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  const auto head = client.send({"HEAD", "/x", {}, ""});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("Content-Length"), "5000");
  EXPECT_EQ(head.body, "");
  const auto get = client.get("/x");
  EXPECT_EQ(get.body, std::string(5'000, 'x'));
  EXPECT_EQ(origin.connections(), 1u);
  EXPECT_EQ(origin.requests().front().method, "HEAD");
}

// RFC 9110 8.6: a Content-Length here is what a GET's would be, and nobody knows it.
TEST(PassRoute, ClaimsNoLengthWhereTheOriginTellsNone) {
  ScriptedOrigin origin([](const SeenRequest& seen) {
    if (seen.method == "HEAD") return raw_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    return raw_reply("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n");
  });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  const auto head = client.send({"HEAD", "/x", {}, ""});
  EXPECT_EQ(head.status, 200);
  EXPECT_FALSE(head.has("Content-Length"));
  const auto not_modified = client.get("/x", {{"If-None-Match", "\"x\""}});
  EXPECT_EQ(not_modified.status, 304);
  EXPECT_FALSE(not_modified.has("Content-Length"));
  EXPECT_EQ(origin.connections(), 1u);
}

TEST(PassRoute, WaitsForNoBodyAfter204And304) {
  ScriptedOrigin origin([](const SeenRequest& seen) {
    if (seen.target == "/204") return raw_reply("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n");
    if (seen.target == "/304")
      return raw_reply("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 5\r\n\r\n");
    return text_reply("after");
  });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  const auto no_content = client.get("/204");
  EXPECT_EQ(no_content.status, 204);
  EXPECT_FALSE(no_content.has("Content-Length"));
  EXPECT_EQ(client.get("/").body, "after");
  const auto not_modified = client.get("/304", {{"If-None-Match", "\"x\""}});
  EXPECT_EQ(not_modified.status, 304);
  EXPECT_EQ(not_modified.field("ETag"), "\"x\"");
  EXPECT_EQ(not_modified.field("Content-Length"), "5");
  EXPECT_EQ(client.get("/").body, "after");
  EXPECT_EQ(origin.connections(), 1u);
}

TEST(PassRoute, CutsTheClientsMessageWhereTheOriginCutItsOwn) {
  const std::string sixty(60, 'x');
  for (const std::string& cut :
       {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + sixty,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3c\r\n" + sixty + "\r\n"}) {
    ScriptedOrigin origin([&](const SeenRequest& seen) {
      auto reply = seen.target == "/cut" ? raw_reply(cut) : text_reply("whole");
      reply.close = true;
      return reply;
    });
    PassRig proxy(origin.url());
    const auto reply = test::get(proxy.url("/cut"));
    EXPECT_EQ(reply.status, 200);
    EXPECT_NE(reply.error, "");
    EXPECT_EQ(reply.body, sixty);
    EXPECT_EQ(test::get(proxy.url("/")).body, "whole");
    EXPECT_EQ(origin.calls(), 2u);
    EXPECT_EQ(proxy.counted(2).bytes_sent, 65u);
  }
}

TEST(PassRoute, GivesUpABodyThatStandsStill) {
  auto gate = std::make_shared<test::Gate>();
  ScriptedOrigin origin([gate](const SeenRequest&) {
    auto reply = raw_reply("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234567890");
    reply.pause_at = gate;
    reply.pause_after = reply.raw->size() - 5;
    return reply;
  });
  PassOptions options;
  options.progress_timeout = 50ms;
  PassRig proxy(origin.url(), options);
  const auto reply = test::get(proxy.url());
  EXPECT_EQ(reply.body, "12345");
  EXPECT_NE(reply.error, "");
  gate->open();
}

TEST(PassRoute, SaysInJsonWhyTheOriginGaveNoAnswer) {
  struct Row {
    std::string_view name;
    std::optional<std::string> answer;  // unset: the origin does not listen
    int status;
    std::string_view title;
    std::string_view detail;
  };
  const Row rows[] = {
      {"down", std::nullopt, 502, "Bad Gateway", "the origin did not accept a connection"},
      {"garbage", "garbage\r\n\r\n", 502, "Bad Gateway", "the origin's answer is not valid HTTP/1"},
      {"both framings", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       502, "Bad Gateway", "the origin's answer is not valid HTTP/1"},
      {"closed", "", 502, "Bad Gateway", "the origin closed the connection before it answered"},
      {"cut head", "HTTP/1.1 200 OK\r\nContent-Le", 502, "Bad Gateway",
       "the origin closed the connection before it answered"},
      {"huge head", "HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n", 502, "Bad Gateway",
       "the head of the origin's answer is too large"},
  };
  for (const auto& row : rows) {
    ScriptedOrigin origin([&](const SeenRequest&) {
      auto reply = raw_reply(row.answer.value_or(""));
      reply.close = true;
      return reply;
    });
    if (!row.answer) origin.refuse();
    PassRig proxy(origin.url());
    const auto reply = test::get(proxy.url("/secret/path"));
    EXPECT_EQ(reply.status, row.status) << row.name;
    EXPECT_EQ(reply.field("Content-Type"), "application/problem+json") << row.name;
    EXPECT_EQ(reply.field("Cache-Control"), "no-store") << row.name;
    EXPECT_EQ(reply.body, R"({"type":"about:blank","title":")" + std::string(row.title) + R"(","status":)" +
                              std::to_string(row.status) + R"(,"detail":")" + std::string(row.detail) +
                              R"("})")
        << row.name;
    const auto& statistics = proxy.counted(1);
    EXPECT_EQ(outcome(statistics, Outcome::failed), 1u) << row.name;
    EXPECT_EQ(outcome(statistics, Outcome::passed), 0u) << row.name;
    EXPECT_EQ(statistics.status_classes[5], 1u) << row.name;
    EXPECT_EQ(statistics.uncached_latency.summary().count, 0u) << row.name;
  }
}

TEST(PassRoute, Answers502WhenNobodyAcceptsTheConnectionInTime) {
  const test::BlackHole nowhere;
  http::UpstreamOptions upstream;
  upstream.client.connect_timeout = 50ms;
  PassRig proxy(nowhere.url(), {}, {}, upstream);
  const auto reply = test::get(proxy.url());
  EXPECT_EQ(reply.status, 502);
  EXPECT_THAT(reply.body, HasSubstr("the origin did not accept a connection"));
}

TEST(PassRoute, Answers503AtOnceWhenTooManyRequestsAreOut) {
  test::Gate gate;
  ScriptedOrigin origin([&gate](const SeenRequest&) {
    gate.pass();
    return text_reply("slow");
  });
  http::UpstreamOptions upstream;
  upstream.max_requests = 1;
  PassRig proxy(origin.url(), {}, {}, upstream);
  auto slow = std::async(std::launch::async, [&] { return test::get(proxy.url()); });
  ASSERT_TRUE(gate.wait_for_waiting(1));
  const auto refused = test::get(proxy.url());
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("Retry-After"), "1");
  EXPECT_EQ(refused.field("Content-Type"), "application/problem+json");
  EXPECT_THAT(refused.body, HasSubstr("too many requests to the origin are under way"));
  gate.open();
  EXPECT_EQ(slow.get().body, "slow");
  EXPECT_EQ(origin.calls(), 1u);
}

TEST(PassRoute, Answers504WhenTheOriginTakesTooLong) {
  auto gate = std::make_shared<test::Gate>();
  ScriptedOrigin origin([gate](const SeenRequest&) {
    auto reply = text_reply("late");
    reply.pause_at = gate;
    return reply;
  });
  PassOptions options;
  options.response_timeout = 50ms;
  PassRig proxy(origin.url(), options);
  const auto reply = test::get(proxy.url());
  EXPECT_EQ(reply.status, 504);
  EXPECT_THAT(reply.body, HasSubstr("the origin did not answer in time"));
  gate->open();
}

TEST(PassRoute, NeverForwardsACommandToCaches) {
  ScriptedOrigin origin([](const SeenRequest&) { return text_reply("seen"); });
  PassRig proxy(origin.url());
  for (const std::string method : {"PURGE", "BAN", "purge", "Ban"}) {
    const auto reply = test::request(method, proxy.url("/x"));
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_THAT(reply.field("Allow"), HasSubstr("GET")) << method;
  }
  EXPECT_NE(test::request("CONNECT", proxy.url("/x")).status, 200);
  EXPECT_EQ(origin.calls(), 0u);
  EXPECT_EQ(proxy.counted(4).status_classes[4], 4u);
  EXPECT_EQ(proxy.counted(4).origin_pass, 0u);
}

TEST(PassRoute, BlamesTheClientForABrokenBody) {
  ScriptedOrigin origin([](const SeenRequest&) { return text_reply("seen"); });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  ASSERT_TRUE(
      client.send_raw("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n"));
  const auto reply = client.read_reply("POST");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("the request's body is incomplete or malformed"));
  EXPECT_EQ(origin.calls(), 0u);
  EXPECT_EQ(outcome(proxy.counted(1), Outcome::failed), 0u);
  EXPECT_EQ(proxy.counted(1).status_classes[4], 1u);
}

TEST(PassRoute, SaysInCacheStatusWhatItDid) {
  struct Row {
    std::string method;
    Reason reason;
    std::string expected;
  };
  const Row rows[] = {
      {"GET", Reason::no_route, "inner; hit, tessera; fwd=bypass; fwd-status=404; detail=no-route"},
      {"HEAD", Reason::not_a_manifest,
       "inner; hit, tessera; fwd=bypass; fwd-status=404; detail=not-a-manifest"},
      {"GET", Reason::none, "inner; hit, tessera; fwd=bypass; fwd-status=404"},
      {"POST", Reason::method, "inner; hit, tessera; fwd=method; fwd-status=404"},
      {"DELETE", Reason::method, "inner; hit, tessera; fwd=method; fwd-status=404"},
      {"OPTIONS", Reason::no_route, "inner; hit, tessera; fwd=method; fwd-status=404; detail=no-route"},
  };
  ScriptedOrigin origin([](const SeenRequest&) {
    auto reply = text_reply("", {{"Cache-Status", "inner; hit"}});
    reply.status = 404;
    return reply;
  });
  for (const auto& row : rows) {
    CacheStatus status;
    status.reason = row.reason;
    PassRig proxy(origin.url(), {}, status);
    EXPECT_EQ(test::request(row.method, proxy.url()).field("Cache-Status"), row.expected) << row.method;
    const auto& statistics = proxy.counted(1);
    EXPECT_EQ(statistics.passed[static_cast<std::size_t>(row.reason)], 1u) << row.method;
  }
  origin.refuse();
  CacheStatus status;
  status.reason = Reason::no_route;
  PassRig proxy(origin.url(), {}, status);
  EXPECT_EQ(test::get(proxy.url()).field("Cache-Status"), "tessera; fwd=bypass; detail=no-route");
}

TEST(PassRoute, SaysNothingInCacheStatusWhenItIsSwitchedOff) {
  ScriptedOrigin origin([](const SeenRequest&) { return text_reply("x", {{"Cache-Status", "inner; hit"}}); });
  PassOptions options;
  options.cache_status = false;
  PassRig proxy(origin.url(), options);
  EXPECT_EQ(test::get(proxy.url()).field("Cache-Status"), "inner; hit");
}

TEST(PassRoute, CountsWhatItPassed) {
  ScriptedOrigin origin([](const SeenRequest& seen) {
    auto reply = text_reply("12345");
    if (seen.target == "/moved") reply.status = 301;
    if (seen.target == "/broken") reply.status = 500;
    return reply;
  });
  CacheStatus status;
  status.reason = Reason::no_route;
  PassRig proxy(origin.url(), {}, status);
  test::Connection client(proxy.url());
  for (const std::string_view target : {"/", "/moved", "/broken", "/"})
    EXPECT_EQ(client.get(target).body, "12345");
  const auto& statistics = proxy.counted(4);
  EXPECT_EQ(outcome(statistics, Outcome::passed), 4u);
  EXPECT_EQ(outcome(statistics, Outcome::failed), 0u);
  EXPECT_EQ(statistics.passed[static_cast<std::size_t>(Reason::no_route)], 4u);
  EXPECT_EQ(statistics.status_classes[2], 2u);
  EXPECT_EQ(statistics.status_classes[3], 1u);
  EXPECT_EQ(statistics.status_classes[5], 1u);
  EXPECT_EQ(statistics.origin_pass, 4u);
  EXPECT_EQ(statistics.bytes_origin, 20u);
  EXPECT_EQ(statistics.bytes_sent, 20u);
  EXPECT_EQ(statistics.uncached_latency.summary().count, 4u);
  EXPECT_EQ(statistics.cached_latency.summary().count, 0u);
  EXPECT_EQ(statistics.requests, 0u);  // the router's
}

}  // namespace
}  // namespace tessera::proxy
