// The collection route in front of an origin that fails, and behind clients that leave.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/proxy/collection_route_rig.h"
#include "tests/support/becomes.h"

namespace tessera::test {
namespace {

TEST(CollectionRoute, PassesOnWhenARecordIsLeftOutThatTheManifestStillLists) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  origin.change([](State& state) {
    state.items[1] = item(2, "v2", "deux");
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind != Kind::records) return std::nullopt;
      return json_reply(
          R"({"items":[{"id":3,"text":"three"},{"id":1,"text":"one"},{"id":9,"text":"nine"}]})");
    };
  });
  const Reply reply = proxy.get("/items");
  EXPECT_EQ(reply.body, origin.collection());
  EXPECT_STATUS_HAS(reply, "record-missing");
  EXPECT_EQ(origin.records(), 2u) << "asked once more before passing on";
}

// The answer to the manifest request is never the client's here: it lacks what that request does not carry.
TEST(CollectionRoute, HarmsNothingInFrontOfAnOriginThatKnowsNoManifests) {
  for (const int refusal : {200, 400, 401, 404, 406}) {
    ItemOrigin origin(three());
    origin.change([refusal](State& state) {
      state.intercept = [refusal](const SeenRequest& request) -> std::optional<ScriptedReply> {
        if (request.kind == Kind::manifest && refusal != 200) return plain_reply(refusal, "what is that?");
        return json_reply(R"({"key":")" + request.field("X-Api-Key") + R"("})");
      };
    });
    ProxyProgram proxy(origin.url(), {}, item_config());
    for (int i = 0; i < 20; ++i) {
      const Reply reply = proxy.get("/items", {{"X-Api-Key", "alice"}});
      EXPECT_EQ(reply.status, 200) << refusal;
      EXPECT_EQ(reply.body, R"({"key":"alice"})") << refusal;
    }
    if (refusal == 200 || refusal == 406) {
      EXPECT_LE(origin.manifests(), 6u) << "the route rests";
    }
  }
}

TEST(CollectionRoute, SaysWhyAStreamedAnswerWasNotKeptAndThenRests) {
  ItemOrigin origin(three());
  origin.change([](State& state) { state.suffix = R"(],"meta":{"total":3}})"; });
  ProxyProgram proxy(origin.url(), {}, item_config("array = \"/items\""));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_LE(origin.server().calls(), 22u);
  EXPECT_GE(proxy.metric("tessera_passed_total", {"reason=\"envelope-undeclared\""}), 8.0);
}

// No request is sent then: the fetch ends before it has waited for anything.
TEST(CollectionRoute, Answers503AtOnceWhenTooManyRequestsAreOut) {
  ItemOrigin origin(three());
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.intercept = [gate](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.path() == "/slow") gate->pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {"--threads", "1"}, "[origin]\nmax_requests = 1\n" + item_config());
  std::thread slow([&] { proxy.get("/slow"); });
  const bool waits = gate->wait_for_waiting(1);
  EXPECT_TRUE(waits);
  if (waits) {
    const Reply reply = proxy.get("/items");
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.field("Retry-After"), "1");
  }
  gate->open();
  slow.join();
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
}

TEST(CollectionRoute, EndsCleanlyWhileTheOriginOwesAManifest) {
  ItemOrigin origin(three());
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.intercept = [gate](const SeenRequest&) -> std::optional<ScriptedReply> {
      gate->pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, "[limits]\ndrain = \"100ms\"\n" + item_config());
  std::thread client([&] { proxy.get("/items"); });
  ASSERT_TRUE(gate->wait_for_waiting(1));
  EXPECT_EQ(proxy.process().terminate(), 0);
  gate->open();
  client.join();
}

TEST(CollectionRoute, RestsAfterTheManifestFailedSeveralTimes) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return plain_reply(500, "broken");
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_LE(origin.manifests(), 6u);
  EXPECT_STATUS_HAS(proxy.get("/items"), "route-rests");
}

TEST(CollectionRoute, DoesNotRestForTargetsThatFailInAnyCase) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.parameter("boom")) return plain_reply(500, "broken");
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config("stale_if_error = \"1h\""));
  warm(origin, proxy);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(proxy.get("/items?boom=" + std::to_string(i)).status, 500);
  origin.change([](State& state) { state.items[0] = item(1, "v9", "neuf"); });
  const Reply reply = proxy.get("/items");
  EXPECT_EQ(reply.body, origin.collection());
  EXPECT_EQ(reply.field("Cache-Status").find("route-rests"), std::string::npos)
      << reply.field("Cache-Status");
}

// Targets whose manifests never come are anybody's to ask for: they rest, and the others do not.
TEST(CollectionRoute, RestsForTheTargetsWhoseManifestsFailAndForNoOthers) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind != Kind::manifest || !request.parameter("odd")) return std::nullopt;
      return plain_reply(request.parameter("odd") == "500" ? 500 : 406, "no");
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  for (const std::string odd : {"406", "500"}) {
    const auto before = origin.manifests();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(proxy.get("/items?odd=" + odd).body, origin.collection()) << odd;
    EXPECT_EQ(origin.manifests(), before + 5) << odd;
    EXPECT_STATUS_HAS(proxy.get("/items?odd=" + odd), "route-rests");
    for (int i = 0; i < 10; ++i) proxy.get("/items?odd=" + odd + "&n=" + std::to_string(i));
    EXPECT_STATUS_HAS(proxy.get("/items"), "hit");
  }
}

TEST(CollectionRoute, RestsWhenTargetsFailThatHaveGivenManifests) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  const auto target = [](int i) { return "/items?n=" + std::to_string(i); };
  // More than it takes: two that have one place in the route's memory count as one.
  constexpr int kTargets = 8;
  for (int i = 0; i < kTargets; ++i)
    EXPECT_TRUE(becomes([&] { return reason(proxy.get(target(i))).find("; hit") != std::string::npos; }));
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return plain_reply(406, "no");
      return std::nullopt;
    };
  });
  for (int i = 0; i < 5; ++i) EXPECT_STATUS_HAS(proxy.get(target(i)), "not-a-manifest");
  for (int i = 5; i < kTargets; ++i) proxy.get(target(i));
  EXPECT_STATUS_HAS(proxy.get(target(kTargets)), "route-rests");
}

TEST(CollectionRoute, WaitsForAManifestNoLongerThanItsTimeLimitAndRestsThen) {
  Gate gate;
  ItemOrigin origin(three());
  origin.change([&](State& state) {
    state.intercept = [&](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) gate.pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, "[limits]\nmanifest_timeout = \"50ms\"\n" + item_config());
  for (int i = 0; i < 5; ++i) {
    const Reply reply = proxy.get("/items");
    EXPECT_EQ(reply.body, origin.collection());
    EXPECT_STATUS_HAS(reply, "manifest-failed");
  }
  EXPECT_STATUS_HAS(proxy.get("/items"), "route-rests");
  EXPECT_LE(origin.manifests(), 5u);  // those that wait at the gate are not counted yet
  gate.open();
}

TEST(CollectionRoute, RelaysATooManyRequestsWithItsRetryAfter) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return plain_reply(429, "slow down", {{"Retry-After", "7"}});
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  const Reply reply = proxy.get("/items");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.field("Retry-After"), "7");
}

TEST(CollectionRoute, KeepsTheSharedFetchWhenItsFirstClientLeaves) {
  ItemOrigin origin(three());
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.intercept = [gate](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::collection) gate->pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  {
    Connection leaver(proxy.url());
    leaver.send_raw("GET /items HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(gate->wait_for_waiting(1));
    leaver.reset();
  }
  std::string body;
  std::thread follower([&] { body = proxy.get("/items", {{"Host", "x"}}).body; });
  gate->open();
  follower.join();
  EXPECT_EQ(body, origin.collection());
  EXPECT_EQ(origin.collections(), 1u);
}

TEST(CollectionRoute, SurvivesNonsenseFromTheOrigin) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (const std::string& nonsense : {std::string(500'000, '['), std::string("{\"items\":[{\"id\":1"),
                                      std::string("\xff\xfe\x00", 3), std::string()}) {
    origin.change([&](State& state) {
      state.intercept = [&nonsense](const SeenRequest& request) -> std::optional<ScriptedReply> {
        if (request.kind == Kind::manifest) return std::nullopt;
        return json_reply(nonsense);
      };
    });
    const Reply reply = proxy.get("/items");
    EXPECT_EQ(reply.body, nonsense) << "the origin's answer, as it is";
  }
  origin.change([](State& state) { state.intercept = nullptr; });
  proxy.admin("POST", "/routes/items?mode=serve");
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
}

TEST(CollectionRoute, AbortsTheClientsMessageWhenTheOriginsIsCutShort) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      ScriptedReply reply = json_reply(R"({"items":[{"id":1,"text":"one"}]})");
      reply.declared_length = 1'000;
      reply.close = true;
      return reply;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  EXPECT_FALSE(proxy.get("/items").error.empty());
  origin.change([](State& state) { state.intercept = nullptr; });
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
}

TEST(CollectionRoute, FindsAWrongRecordsResponseAndPassesFromThenOn) {
  ItemOrigin origin({item(1, "v1", "one"), item(2, "v1", "two"), item(3, "v1", "three")});
  ProxyProgram proxy(origin.url(), {}, item_config());
  learn(proxy);
  origin.change([](State& state) {
    state.items[0] = item(1, "v2", "uno");
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind != Kind::records) return std::nullopt;
      return json_reply(R"({"items":[{"text":"rendered otherwise","id":1}]})");
    };
  });
  const Reply verified = proxy.get("/items");
  EXPECT_EQ(verified.body, origin.collection());
  EXPECT_STATUS_HAS(verified, "mismatch");
  EXPECT_EQ(proxy.metric("tessera_verified_total", {"result=\"mismatch\""}), 1.0);
  const Reply next = proxy.get("/items");
  EXPECT_EQ(next.body, origin.collection());
  EXPECT_STATUS_HAS(next, "mismatch");
}

TEST(CollectionRoute, AClientThatLeavesHarmsNobodyWhoWaitsForTheSame) {
  Gate gate;
  ItemOrigin origin(three());
  origin.change([&](State& state) {
    state.intercept = [&](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::collection) gate.pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {"--threads", "1"}, item_config());
  const std::string get = "GET /items HTTP/1.1\r\nHost: a\r\n\r\n";
  Connection leader(proxy.url());
  ASSERT_TRUE(leader.send_raw(get));
  ASSERT_TRUE(gate.wait_for_waiting(1));
  Connection neighbour(proxy.url());
  ASSERT_TRUE(neighbour.send_raw(get));
  ASSERT_TRUE(origin.server().wait_for_calls(Kind::manifest, 2));
  leader.finish_sending();
  EXPECT_TRUE(leader.closed_by_peer(std::chrono::seconds(1)));
  gate.open();
  const Reply reply = neighbour.read_reply();
  EXPECT_EQ(reply.body, origin.collection()) << reply.error;
  EXPECT_EQ(origin.collections(), 1u);
}

TEST(CollectionRoute, PassesAnOfferToUpgradeOn) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  const Reply reply = proxy.get("/items", {{"Connection", "close, Upgrade"}, {"Upgrade", "websocket"}});
  EXPECT_EQ(reply.body, origin.collection());
  EXPECT_STATUS_HAS(reply, "detail=upgrade");
  // An offer that is not relayed makes no difference.
  const Reply other = proxy.get("/items", {{"Connection", "close, Upgrade"}, {"Upgrade", "h2c"}});
  EXPECT_EQ(other.body, origin.collection());
  EXPECT_EQ(reason(other).find("upgrade"), std::string::npos) << reason(other);
}

TEST(CollectionRoute, RefusesABodyOverItsRoutesLimit) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config("body = 3"));
  EXPECT_EQ(request("POST", proxy.url("/items"), {}, "four").status, 413);
  EXPECT_EQ(request("POST", proxy.url("/items"), {}, "two").status, 200);
  EXPECT_EQ(request("POST", proxy.url("/elsewhere"), {}, "four").status, 200);
  EXPECT_EQ(origin.server().calls(), 2u);
}

}  // namespace
}  // namespace tessera::test
