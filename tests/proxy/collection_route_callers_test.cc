// The collection route and those who ask: who may see what, and who shares it.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/proxy/collection_route_rig.h"

namespace tessera::test {
namespace {

TEST(CollectionRoute, GivesEveryCallerWhatTheManifestGivesHim) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.field("Authorization") == "C") {
        return plain_reply(403, "not for you", {{"Content-Type", "text/plain"}});
      }
      if (request.kind == Kind::manifest && request.field("Authorization") == "B") {
        return manifest_reply("s1", {{"1", "\"v1\""}});
      }
      if (request.kind == Kind::collection && request.field("Authorization") == "B") {
        return json_reply(R"({"items":[{"id":1,"text":"one"}]})");
      }
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config("records_audience = \"shared\""));
  proxy.get("/items", {{"Authorization", "A"}});
  EXPECT_EQ(proxy.get("/items", {{"Authorization", "A"}}).body, origin.collection());
  origin.server().forget();
  const Reply other = proxy.get("/items", {{"Authorization", "B"}});
  EXPECT_EQ(other.body, R"({"items":[{"id":1,"text":"one"}]})") << reason(other);
  EXPECT_EQ(origin.records(), 0u);
  const Reply refused = proxy.get("/items", {{"Authorization", "C"}});
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.body, "not for you");
}

TEST(CollectionRoute, KeepsRecordsOfOneCallerFromAnotherUnlessTheyAreShared) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      return json_reply(R"({"items":[{"id":1,"text":")" + request.field("Authorization") + R"("}]})");
    };
    state.items.resize(1);
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (const char* caller : {"A", "B", "A", "B"}) {
    EXPECT_EQ(proxy.get("/items", {{"Authorization", caller}}).body,
              R"({"items":[{"id":1,"text":")" + std::string(caller) + R"("}]})");
  }
}

TEST(CollectionRoute, KeysByTheFieldsThatRecordsVaryOn) {
  ItemOrigin origin({item(1, "v1", "x")});
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      return json_reply(R"({"items":[{"id":1,"text":")" + request.field("Accept-Language") + R"("}]})",
                        {{"Vary", "Accept-Language"}});
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (const char* language : {"fr", "en", "fr", "en"}) {
    const Reply reply = proxy.get("/items", {{"Accept-Language", language}});
    EXPECT_EQ(reply.body, R"({"items":[{"id":1,"text":")" + std::string(language) + R"("}]})");
  }
  EXPECT_LE(origin.collections() + origin.records(), 3u);
}

TEST(CollectionRoute, PassesOnWhenAnUnknownFieldDecides) {
  ItemOrigin origin(three());
  origin.change([](State& state) { state.record_fields = {{"Vary", "X-Secret-Sauce"}}; });
  ProxyProgram proxy(origin.url(), {}, item_config());
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  origin.change([](State& state) { state.items[0].body = R"({"id":1,"text":"changed"})"; });
  EXPECT_EQ(proxy.get("/items").body, origin.collection()) << "nothing may have been kept";
}

TEST(CollectionRoute, DoesNotLetAForgedHostReachOthers) {
  ItemOrigin origin({item(1, "v1", "x")});
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      return json_reply(R"({"items":[{"id":1,"text":")" + request.field("X-Forwarded-Host") + R"("}]})");
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  proxy.get("/items", {{"X-Forwarded-Host", "evil.example"}});
  proxy.get("/items", {{"Host", "evil.example"}});
  EXPECT_EQ(proxy.get("/items").body.find("evil"), std::string::npos);
}

TEST(CollectionRoute, KeysByTheFieldsThatTheRouteDeclares) {
  ItemOrigin origin({item(1, "v1", "x")});
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      return json_reply(R"({"items":[{"id":1,"text":")" + request.field("X-Api-Key") + R"("}]})");
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config("vary = [\"X-Api-Key\"]"));
  for (const char* key : {"alice", "bob", "alice", "bob"}) {
    EXPECT_EQ(proxy.get("/items", {{"X-Api-Key", key}}).body,
              R"({"items":[{"id":1,"text":")" + std::string(key) + R"("}]})");
  }
}

TEST(CollectionRoute, KeepsWhatTwoAcceptsWereGivenApart) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      const std::string version = request.field("Accept").find("v2") != std::string::npos ? "2" : "1";
      std::string items;
      for (const char* id : {"1", "2", "3"})
        items += (items.empty() ? "" : ",") + ("{\"id\":" + std::string(id)) + ",\"v\":" + version + "}";
      return json_reply("{\"items\":[" + items + "]}", {{"Vary", "Accept"}});
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (const char* version : {"1", "2", "1", "2"}) {
    for (const char* target : {"/items", "/items?page=2"}) {
      const Reply reply =
          proxy.get(target, {{"Accept", "application/vnd.x.v" + std::string(version) + "+json"}});
      EXPECT_NE(reply.body.find("\"v\":" + std::string(version)), std::string::npos) << reply.body;
    }
  }
}

// Callers that share a cold assembly part again when it turns out that the answer varies on a field of
// theirs.
TEST(CollectionRoute, DoesNotShareAnAssemblyThatTurnsOutToVary) {
  ItemOrigin origin({item(1, "v1", "x")});
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.intercept = [gate](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) {
        return manifest_reply("s1", {{"1", "\"v1\""}});
      }
      gate->pass();
      return json_reply(R"({"items":[{"id":1,"text":")" + request.field("Accept-Language") + R"("}]})",
                        {{"Vary", "Accept-Language"}});
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  std::vector<std::thread> clients;
  std::vector<std::string> bodies(6);
  const std::vector<std::string> languages{"fr", "en", "de", "fr", "en", "de"};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    clients.emplace_back([&, i] {
      bodies[i] = proxy.get("/items", {{"Accept-Language", languages[i]}}).body;
    });
  }
  ASSERT_TRUE(gate->wait_for_waiting(1));
  ASSERT_TRUE(origin.server().wait_for_calls(Kind::manifest, 2));
  gate->open();
  for (std::thread& client : clients) client.join();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_EQ(bodies[i], R"({"items":[{"id":1,"text":")" + languages[i] + R"("}]})");
  }
}

// Origins that trim names, fold case or take the last of two cookies see an admin where others see nobody.
TEST(CollectionRoute, TakesNoOddCookieForNoCredentials) {
  ItemOrigin origin({item(1, "v1", "one")});
  origin.change([](State& state) {
    state.intercept = [](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::manifest) return std::nullopt;
      const bool is_admin = request.field("Cookie").find("ADMIN") != std::string::npos;
      return json_reply(is_admin ? R"({"items":[{"id":1,"text":"secret"}]})"
                                 : R"({"items":[{"id":1,"text":"one"}]})");
    };
  });
  for (const char* cookie : {"sid =ADMIN", "a=b;\tsid=ADMIN", "SID=ADMIN", "sid=x; sid=ADMIN",
                             "\"sid\"=ADMIN", "a=1, sid=ADMIN", "a=1;  sid=ADMIN"}) {
    ProxyProgram proxy(origin.url(), {}, item_config("credentials = [\"cookie:sid\"]"));
    for (int i = 0; i < 3; ++i) proxy.get("/items", {{"Cookie", cookie}});
    for (const char* other : {"", "sid=x", "a=b"}) {
      const Reply reply = proxy.get("/items", {{"Cookie", other}});
      EXPECT_EQ(reply.body.find("secret"), std::string::npos) << cookie << " / " << other;
    }
  }
}

TEST(CollectionRoute, GivesASetCookieToOneRequestOnly) {
  ItemOrigin origin(three());
  std::atomic<int> number{0};
  origin.change([&](State& state) {
    state.intercept = [&](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind != Kind::manifest) return std::nullopt;
      return manifest_reply("s1", {{"1", "\"v1\""}, {"2", "\"v1\""}, {"3", "\"v1\""}},
                            {{"Set-Cookie", "sid=" + std::to_string(number.fetch_add(1))}});
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  constexpr int kClients = 10;
  std::vector<std::thread> clients;
  std::vector<std::string> cookies(kClients);
  for (int i = 0; i < kClients; ++i)
    clients.emplace_back([&, i] { cookies[i] = proxy.get("/items").field("Set-Cookie"); });
  for (std::thread& client : clients) client.join();
  std::sort(cookies.begin(), cookies.end());
  EXPECT_EQ(std::unique(cookies.begin(), cookies.end()), cookies.end());
  EXPECT_FALSE(cookies.front().empty());
}

}  // namespace
}  // namespace tessera::test
