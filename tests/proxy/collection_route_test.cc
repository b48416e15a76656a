// The collection route against an origin that does what a real one does not do on command: which records, in
// which version.
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

TEST(CollectionRoute, KeepsNumbersOfAnySizeByteForByte) {
  const std::string odd = R"({"id":9007199254740993,"n":18446744073709551617,"p":1.10,"z":-0.0,"e":1E400})";
  ItemOrigin origin(
      {{"9007199254740992", "\"v\"", R"({"id":9007199254740992})"}, {"9007199254740993", "\"v\"", odd}});
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
}

TEST(CollectionRoute, ReusesAManifestAsLongAsItsOriginAllows) {
  ItemOrigin origin(three());
  origin.change([](State& state) { state.manifest_fields = {{"Cache-Control", "max-age=60"}}; });
  ProxyProgram proxy(origin.url(), {}, item_config());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.get("/items").body, origin.collection());
  EXPECT_LE(origin.manifests(), 2u) << "one, and the check after the fill";
}

}  // namespace
}  // namespace tessera::test
