// The collection route against an origin that does what a real one does not do on command.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/proxy/item_origin.h"

namespace tessera::test {
namespace {

using Item = ItemOrigin::Item;
using State = ItemOrigin::State;

std::string reason(const Reply& reply) {
  return reply.field("Cache-Status");
}

ScriptedReply plain_reply(int status, std::string body, FieldLines fields = {}) {
  ScriptedReply reply;
  reply.status = status;
  reply.fields = std::move(fields);
  reply.body = std::move(body);
  return reply;
}

#define EXPECT_STATUS_HAS(reply, part) EXPECT_NE(reason(reply).find(part), std::string::npos) << reason(reply)

std::vector<Item> three() {
  return {item(1, "v1", "one"), item(2, "v1", "two"), item(3, "v1", "three")};
}

// The client of a whole-collection fetch has its answer before what is learned from it has been checked and
// kept; the second request waits for that.
void learn(const ProxyProgram& proxy) {
  proxy.get("/items");
  proxy.get("/items");
}

// Asks once more after the answer that is verified against the whole collection, so that counts are those of
// a fill.
void warm(ItemOrigin& origin, const ProxyProgram& proxy) {
  learn(proxy);
  origin.change([](State& state) { state.items[0].version = "\"warm\""; });
  proxy.get("/items");
  origin.server().forget();
}

TEST(CollectionRoute, RefetchesOnlyTheRecordWhoseVersionChanged) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  origin.change([](State& state) { state.items[1] = item(2, "v2", "deux"); });
  const Reply reply = proxy.get("/items");
  EXPECT_EQ(reply.body, origin.collection());
  ASSERT_EQ(origin.records(), 1u);
  EXPECT_EQ(origin.server().requests(Kind::records)[0].ids(), std::vector<std::string>{"2"});
  EXPECT_EQ(origin.collections(), 0u);
  EXPECT_STATUS_HAS(reply, "snapshot=2 l1=0 l2=0 origin=1");
}

TEST(CollectionRoute, TellsVersionsApartByTheirLastDigit) {
  ItemOrigin origin({item(1, "2019-07-09T18:30:13.123456Z", "a")});
  ProxyProgram proxy(origin.url(), {}, item_config());
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  origin.change([](State& state) { state.items[0] = item(1, "2019-07-09T18:30:13.123457Z", "b"); });
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
}

TEST(CollectionRoute, NeverKeepsAVersionTooCoarseToTellTwoWritesApart) {
  ItemOrigin origin({item(1, "2026-01-01T12:00:00Z", "a"), item(2, "v1", "x"), item(3, "v1", "y")});
  origin.change([](State& state) { state.manifest_fields = {{"Date", "Thu, 01 Jan 2026 12:00:00 GMT"}}; });
  ProxyProgram proxy(origin.url(), {}, item_config());
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  origin.change([](State& state) { state.items[0].body = R"({"id":1,"text":"b"})"; });
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  // Three seconds on, the version has settled: kept from now on.
  origin.change([](State& state) { state.manifest_fields = {{"Date", "Thu, 01 Jan 2026 12:00:03 GMT"}}; });
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  origin.server().forget();
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_EQ(origin.records() + origin.collections(), 0u);
}

TEST(CollectionRoute, FetchesARecordWithoutAVersionForEveryAnswer) {
  ItemOrigin origin({item(1, "v1", "a"), item(2, "v1", "b"), item(3, "v1", "c")});
  origin.change([](State& state) { state.items[1].version = "null"; });
  ProxyProgram proxy(origin.url(), {}, item_config());
  learn(proxy);
  for (const char* text : {"x", "y", "z"}) {
    origin.change(
        [&](State& state) { state.items[1].body = R"({"id":2,"text":")" + std::string(text) + "\"}"; });
    EXPECT_EQ(proxy.get("/items").body, origin.collection()) << text;
  }
  EXPECT_GE(proxy.metric("tessera_records_total", {"version"}), 3.0);
}

TEST(CollectionRoute, FollowsTheManifestsOrder) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  origin.change([](State& state) { state.items = {state.items[2], state.items[0], state.items[1]}; });
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_EQ(origin.records() + origin.collections(), 0u);
}

TEST(CollectionRoute, AnswersAnEmptyListWithoutAskingForRecords) {
  ItemOrigin origin({});
  ProxyProgram proxy(origin.url(), {}, item_config());
  EXPECT_EQ(proxy.get("/items").body, R"({"items":[]})");
  origin.server().forget();
  EXPECT_EQ(proxy.get("/items").body, R"({"items":[]})");
  EXPECT_EQ(origin.records() + origin.collections(), 0u);
}

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

TEST(CollectionRoute, GoesOnWithoutARecordThatTheNewerManifestNoLongerLists) {
  ItemOrigin origin(
      {item(1, "v1", "one"), item(2, "v1", "two"), item(3, "v1", "three"), item(4, "v1", "four")});
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  std::atomic<bool> deleted{false};
  origin.change([&](State& state) {
    state.items[1] = item(2, "v2", "deux");
    state.intercept = [&](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::records && !deleted.exchange(true)) {
        origin.change([](State& now) { now.items.erase(now.items.begin() + 1); });
      }
      return std::nullopt;
    };
  });
  const Reply reply = proxy.get("/items");
  EXPECT_EQ(reply.body, origin.collection());
  EXPECT_EQ(reply.body.find("two"), std::string::npos);
  EXPECT_EQ(reply.body.find("deux"), std::string::npos);
  EXPECT_STATUS_HAS(reply, "tessera;");
  EXPECT_EQ(reason(reply).find("record-missing"), std::string::npos);
}

// A write between manifest and records: the answer must be of one instant, and nothing is filed under a wrong
// version.
TEST(CollectionRoute, NeverMixesTwoInstants) {
  ItemOrigin origin(
      {item(1, "v1", "one"), item(2, "v1", "two"), item(3, "v1", "three"), item(4, "v1", "four")});
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  std::atomic<int> writes{0};
  origin.change([&](State& state) {
    state.items[1] = item(2, "v2", "deux");
    state.intercept = [&](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::records && writes.fetch_add(1) == 0) {
        origin.change([](State& now) {
          now.items[1] = item(2, "v3", "zwei");
          now.items[2] = item(3, "v3", "drei");
        });
      }
      return std::nullopt;
    };
  });
  const Reply reply = proxy.get("/items");
  EXPECT_EQ(reply.body, origin.collection());
  origin.change([](State& state) { state.items[1].version = "\"v2\""; });
  EXPECT_EQ(proxy.get("/items").body, origin.collection()) << "v2 must not have been filed with v3's bytes";
}

TEST(CollectionRoute, PassesPagingFieldsOfThisRequestOn) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.manifest_fields = {{"Link", "</items?page=2>; rel=\"next\""}, {"X-Total-Count", "42"}};
    state.record_fields = state.manifest_fields;
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (int i = 0; i < 3; ++i) {
    const Reply reply = proxy.get("/items?page=1");
    EXPECT_EQ(reply.field("X-Total-Count"), "42") << i;
    EXPECT_EQ(reply.field("Link"), "</items?page=2>; rel=\"next\"") << i;
  }
}

TEST(CollectionRoute, AnswersAPreconditionWithoutAskingForRecords) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  proxy.get("/items");
  const std::string etag = proxy.get("/items").field("ETag");
  ASSERT_FALSE(etag.empty());
  origin.server().forget();
  const Reply same = proxy.get("/items", {{"If-None-Match", etag}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.field("ETag"), etag);
  EXPECT_EQ(origin.manifests(), 1u);
  EXPECT_EQ(origin.records() + origin.collections(), 0u);
  origin.change([](State& state) { state.items[0] = item(1, "v9", "neuf"); });
  const Reply changed = proxy.get("/items", {{"If-None-Match", etag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.field("ETag"), etag);
}

TEST(CollectionRoute, ShowsAPurgedRecordsNewBytesAlthoughItsVersionStayed) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  const std::string before = proxy.get("/items").field("ETag");
  origin.change([](State& state) { state.items[1].body = R"({"id":2,"text":"other"})"; });
  EXPECT_NE(proxy.get("/items").body, origin.collection())
      << "its version did not change: nothing could tell";
  EXPECT_EQ(proxy.admin("POST", "/purge?route=items&id=2").status, 200);
  const Reply after = proxy.get("/items");
  EXPECT_EQ(after.body, origin.collection());
  EXPECT_NE(after.field("ETag"), before);
}

TEST(CollectionRoute, StoresNothingOfAFetchThatAPurgeOvertook) {
  ItemOrigin origin(three());
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.items[1] = item(2, "v2", "old");
    state.intercept = [gate, &origin](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind != Kind::records || gate->arrived() > 0) return std::nullopt;
      ScriptedReply reply = json_reply(R"({"items":[{"id":2,"text":"old"}]})");
      gate->pass();
      return reply;
    };
  });
  std::thread slow([&] { proxy.get("/items"); });
  ASSERT_TRUE(gate->wait_for_waiting(1));
  proxy.admin("POST", "/purge");
  origin.change([](State& state) { state.items[1].body = R"({"id":2,"text":"new"})"; });
  gate->open();
  slow.join();
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
}

TEST(CollectionRoute, KeepsNoManifestThatAPurgeOvertook) {
  ItemOrigin origin(three());
  origin.change([](State& state) { state.record_fields = {{"Tessera-Revision", "r1"}}; });
  ProxyProgram proxy(origin.url(), {}, item_config());
  warm(origin, proxy);
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.intercept = [gate](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind != Kind::manifest || gate->arrived() > 0) return std::nullopt;
      ScriptedReply reply = manifest_reply("s1", {{"1", "\"v1\""}});
      reply.fields.emplace_back("Cache-Control", "max-age=60");
      reply.fields.emplace_back("Tessera-Revision", "r1");
      gate->pass();
      return reply;
    };
  });
  std::thread slow([&] { proxy.get("/items"); });
  ASSERT_TRUE(gate->wait_for_waiting(1));
  EXPECT_EQ(proxy.admin("POST", "/purge").status, 200);
  gate->open();
  slow.join();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection()) << i;
}

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

TEST(CollectionRoute, CarriesAMemberThatTheManifestSupplies) {
  ItemOrigin origin(three());
  origin.change([](State& state) {
    state.suffix = R"(],"meta":{"total":3}})";
    state.manifest_extra = R"(,"members":{"meta":{"total":3}})";
  });
  ProxyProgram proxy(origin.url(), {}, item_config("array = \"/items\""));
  proxy.get("/items");
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  origin.change([](State& state) {
    state.suffix = R"(],"meta":{"total":4}})";
    state.manifest_extra = R"(,"members":{"meta":{"total":4}})";
  });
  origin.server().forget();
  EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_EQ(origin.records(), 0u);
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

TEST(CollectionRoute, FindsRecordsWhoseIdsAreOfTheOtherKind) {
  ItemOrigin origin(
      {{"\"1\"", "\"v1\"", R"({"id":1,"text":"one"})"}, {"\"2\"", "\"v1\"", R"({"id":2,"text":"two"})"}});
  ProxyProgram proxy(origin.url(), {}, item_config());
  learn(proxy);
  origin.change([](State& state) { state.items.pop_back(); });
  origin.server().forget();
  const Reply page = proxy.get("/items?page=2");  // another list: nothing but L1 can know its record
  EXPECT_EQ(page.body, origin.collection());
  EXPECT_STATUS_HAS(page, "l1=1");
  EXPECT_EQ(origin.records(), 0u);
}

TEST(CollectionRoute, SaysWhyAStreamedAnswerWasNotKeptAndThenRests) {
  ItemOrigin origin(three());
  origin.change([](State& state) { state.suffix = R"(],"meta":{"total":3}})"; });
  ProxyProgram proxy(origin.url(), {}, item_config("array = \"/items\""));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_LE(origin.server().calls(), 22u);
  EXPECT_GE(proxy.metric("tessera_passed_total", {"reason=\"envelope-undeclared\""}), 8.0);
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

TEST(CollectionRoute, CoalescesColdRequests) {
  ItemOrigin origin(three());
  auto gate = std::make_shared<Gate>();
  origin.change([&](State& state) {
    state.intercept = [gate](const SeenRequest& request) -> std::optional<ScriptedReply> {
      if (request.kind == Kind::collection) gate->pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin.url(), {}, item_config());
  constexpr int kClients = 50;
  std::vector<std::thread> clients;
  std::vector<std::string> bodies(kClients);
  for (int i = 0; i < kClients; ++i) clients.emplace_back([&, i] { bodies[i] = proxy.get("/items").body; });
  ASSERT_TRUE(gate->wait_for_waiting(1));
  gate->open();
  for (std::thread& client : clients) client.join();
  for (const std::string& body : bodies) EXPECT_EQ(body, origin.collection());
  EXPECT_EQ(origin.collections(), 1u);
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

TEST(CollectionRoute, KeepsNumbersOfAnySizeByteForByte) {
  const std::string odd = R"({"id":9007199254740993,"n":18446744073709551617,"p":1.10,"z":-0.0,"e":1E400})";
  ItemOrigin origin(
      {{"9007199254740992", "\"v\"", R"({"id":9007199254740992})"}, {"9007199254740993", "\"v\"", odd}});
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
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

TEST(CollectionRoute, ReusesAManifestAsLongAsItsOriginAllows) {
  ItemOrigin origin(three());
  origin.change([](State& state) { state.manifest_fields = {{"Cache-Control", "max-age=60"}}; });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_LE(origin.manifests(), 2u) << "one, and the check after the fill";
}

TEST(CollectionRoute, AClientThatLeavesHarmsNobodyWhoWaitsForTheSame) {
  ItemOrigin origin(three());
  Gate gate;
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
