// What every RemoteStore has to do, shown on a real Redis behind each kind of connection.
#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cache/key_space.h"
#include "tests/cache/redis/store_loop.h"
#include "tests/support/fault_gate.h"
#include "tests/support/redis_server.h"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

enum class Way { unix_socket, tcp, tls, split_into_bytes };

class RemoteStoreContract : public testing::TestWithParam<Way> {
 protected:
  RemoteStoreContract() : server_(options()) {
    if (GetParam() == Way::split_into_bytes) {
      gate_ = std::make_unique<FaultGate>(server_.port());
      FaultGate::Fault split;
      split.split = true;
      gate_->to_client(split);
      gate_->to_server(split);
    }
    settings_ = patient_settings(address());
    settings_.ca_file = GetParam() == Way::tls ? server_.ca_file() : "";
  }

  static RedisServer::Options options() {
    RedisServer::Options options;
    options.tcp = GetParam() == Way::tcp || GetParam() == Way::split_into_bytes;
    options.tls = GetParam() == Way::tls;
    return options;
  }

  std::string address() const {
    switch (GetParam()) {
      case Way::unix_socket:
        return server_.unix_address();
      case Way::tcp:
        return server_.tcp_address();
      case Way::tls:
        return server_.tls_address();
      case Way::split_into_bytes:
        return "redis://127.0.0.1:" + std::to_string(gate_->port());
    }
    return "";
  }

  // Begun by the first call, so that a test may change the settings before.
  StoreLoop& store() {
    if (!loop_) {
      loop_ = std::make_unique<StoreLoop>(settings_);
      EXPECT_TRUE(loop_->wait_connected()) << loop_->health().last_error;
    }
    return *loop_;
  }

  // Puts, and waits until Redis has it all.
  void put(std::vector<cache::RemoteItem> items) {
    const std::size_t before = size();
    std::set<std::string> keys;
    for (const auto& item : items) keys.insert(item.key);
    store().put(std::move(items));
    ASSERT_TRUE(store().wait_until([&] { return size() == before + keys.size(); }));
  }
  std::size_t size() const { return std::stoul(server_.command({"DBSIZE"}).front()); }

  static std::string key_of(const std::string& route, const std::string& id, bool is_number = false,
                            const std::string& prefix = "tessera") {
    cache::KeySpaceParts parts;
    parts.prefix = prefix;
    parts.route = route;
    return cache::KeySpace(parts).redis_key('f', id, is_number);
  }

  RedisServer server_;
  std::unique_ptr<FaultGate> gate_;
  config::RedisSettings settings_;
  std::unique_ptr<StoreLoop> loop_;
};

INSTANTIATE_TEST_SUITE_P(Redis, RemoteStoreContract,
                         testing::Values(Way::unix_socket, Way::tcp, Way::tls, Way::split_into_bytes),
                         [](const testing::TestParamInfo<Way>& way) -> std::string {
                           switch (way.param) {
                             case Way::unix_socket:
                               return "OverUnixSocket";
                             case Way::tcp:
                               return "OverTcp";
                             case Way::tls:
                               return "OverTls";
                             case Way::split_into_bytes:
                               return "SplitIntoBytes";
                           }
                           return "";
                         });

TEST_P(RemoteStoreContract, GivesBackWhatWasPut) {
  const std::string binary = "\0\r\n$5\r\n\xff\xfe*-1\r\n"s;
  put({{"plain", "value"}, {binary, binary + binary}, {"empty", ""}});
  const Values values = store().get({"plain", binary, "empty"});
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0], "value");
  EXPECT_EQ(values[1], binary + binary);
  EXPECT_EQ(values[2], "");
}

TEST_P(RemoteStoreContract, AnswersInTheOrderOfTheKeys) {
  put({{"a", "1"}, {"b", "2"}});
  const Values expected{"2", std::nullopt, "1", "2", std::nullopt};
  EXPECT_EQ(store().get({"b", "x", "a", "b", ""}), expected);
}

TEST_P(RemoteStoreContract, FindsNothingForNoKeysAndAsksNobody) {
  store();
  const auto before = store().health().commands;
  EXPECT_TRUE(store().get({}).empty());
  store().put({});
  EXPECT_EQ(store().health().commands, before);
}

TEST_P(RemoteStoreContract, ReadsThousandsOfKeysInSeveralCommands) {
  settings_.keys_per_command = 100;
  std::vector<cache::RemoteItem> items;
  std::vector<std::string> keys;
  for (int i = 0; i < 2'050; ++i) {
    items.push_back({"key " + std::to_string(i), "value of " + std::to_string(i)});
    keys.push_back(items.back().key);
  }
  put(items);
  const auto before = store().health().commands;
  const Values values = store().get(keys);
  ASSERT_EQ(values.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(values[i], items[i].value) << i;
  EXPECT_EQ(store().health().commands - before, 21u);
}

TEST_P(RemoteStoreContract, CarriesValuesOfManyReads) {
  std::string value(300'000, 'x');
  for (std::size_t i = 0; i < value.size(); i += 7) value[i] = static_cast<char>('a' + i % 26);
  put({{"large", value}, {"small", "s"}});
  const Values expected{"s", value};
  EXPECT_EQ(store().get({"small", "large"}), expected);
}

TEST_P(RemoteStoreContract, LetsTheLaterPutWin) {
  put({{"key", "old"}});
  store().put({{"key", "new"}});
  EXPECT_TRUE(store().wait_value("key", "new"));
}

TEST_P(RemoteStoreContract, GivesEveryKeyItsTtlWithinTenPercent) {
  settings_.ttl = 1'000s;
  std::vector<cache::RemoteItem> items;
  for (int i = 0; i < 50; ++i) items.push_back({"key " + std::to_string(i), "value"});
  put(items);
  std::set<long> seconds;
  for (const auto& item : items) {
    const long ttl = std::stol(server_.command({"PTTL", item.key}).front());
    EXPECT_GT(ttl, 800'000);  // some time may have passed
    EXPECT_LE(ttl, 1'100'000);
    seconds.insert(ttl / 1'000);
  }
  EXPECT_GT(seconds.size(), 5u) << "what was written together expires together";
}

TEST_P(RemoteStoreContract, NeitherStoresNorReadsValuesAboveTheLimit) {
  settings_.max_value.value = 1'000;
  put({{"fits", std::string(1'000, 'x')}});
  store().put({{"too large", std::string(1'001, 'x')}});
  EXPECT_EQ(store().health().writes_dropped, 1u);
  server_.command({"SET", "from elsewhere", std::string(1'001, 'x')});
  const Values expected{std::nullopt, std::string(1'000, 'x'), std::nullopt};
  EXPECT_EQ(store().get({"too large", "fits", "from elsewhere"}), expected);
  EXPECT_TRUE(store().health().connected);
}

TEST_P(RemoteStoreContract, PurgesOneRoute) {
  put({{key_of("courses", "1"), "a"}, {key_of("courses", "2"), "b"}, {key_of("slides", "1"), "c"}});
  EXPECT_EQ(store().purge("courses"), 2u);
  const Values expected{std::nullopt, std::nullopt, "c"};
  EXPECT_EQ(store().get({key_of("courses", "1"), key_of("courses", "2"), key_of("slides", "1")}), expected);
}

TEST_P(RemoteStoreContract, PurgesOneRecordWhetherItsIdIsAStringOrANumber) {
  put({{key_of("courses", "1"), "a"}, {key_of("courses", "1", true), "b"}, {key_of("courses", "11"), "c"}});
  EXPECT_EQ(store().purge("courses", "1"), 2u);
  EXPECT_EQ(size(), 1u);
  EXPECT_EQ(store().get_one(key_of("courses", "11")), "c");
}

TEST_P(RemoteStoreContract, PurgesEverythingOfItsPrefixAndNothingElse) {
  put({{key_of("courses", "1"), "a"},
       {key_of("slides", "x*"), "b"},
       {key_of("courses", "1", false, "other"), "c"}});
  server_.command({"SET", "7:tessera", "not of the key's form"});
  server_.command({"SET", "tessera:foreign", "d"});
  EXPECT_EQ(store().purge(""), 2u);
  EXPECT_EQ(size(), 3u);
}

TEST_P(RemoteStoreContract, PurgesMoreKeysThanOneScanShows) {
  std::vector<cache::RemoteItem> items;
  for (int i = 0; i < 2'500; ++i) items.push_back({key_of("courses", std::to_string(i)), "v"});
  put(items);
  EXPECT_EQ(store().purge("courses"), 2'500u);
  EXPECT_EQ(size(), 0u);
}

TEST_P(RemoteStoreContract, LeavesNothingBehindAPurgeThatWasPutBeforeIt) {
  store();
  for (int i = 0; i < 20; ++i) {
    std::vector<cache::RemoteItem> items;
    for (int j = 0; j < 300; ++j) items.push_back({key_of("courses", std::to_string(j)), "v"});
    store().put(items);
    // Some of them are on their way when the purge begins, some wait.
    store().wait_until([&, before = store().health().commands] { return store().health().commands > before; },
                       5ms);
    ASSERT_TRUE(store().purge("courses").has_value());
    ASSERT_EQ(size(), 0u) << "round " << i;
  }
}

TEST_P(RemoteStoreContract, ServesManyAtOnceOverFewConnections) {
  settings_.max_connections = 3;
  std::vector<cache::RemoteItem> items;
  for (int i = 0; i < 50; ++i) items.push_back({"key " + std::to_string(i), "value of " + std::to_string(i)});
  put(items);
  std::vector<std::shared_ptr<StoreLoop::Ticket>> tickets;
  for (const auto& item : items) tickets.push_back(store().begin_get({item.key, "missing"}));
  ASSERT_TRUE(store().wait_until(
      [&] { return std::ranges::all_of(tickets, [](const auto& ticket) { return ticket->ended; }); }));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Values expected{items[i].value, std::nullopt};
    EXPECT_EQ(tickets[i]->values, expected);
  }
  const std::string clients = server_.command({"CLIENT", "LIST"}).front();
  std::size_t ours = 0;
  for (auto at = clients.find("name=tessera"); at != std::string::npos;
       at = clients.find("name=tessera", at + 1))
    ++ours;
  EXPECT_GE(ours, 1u);
  EXPECT_LE(ours, 3u);
}

TEST_P(RemoteStoreContract, IsConnectedWithoutAFault) {
  EXPECT_EQ(store().get_one("missing"), std::nullopt);
  const auto health = store().health();
  EXPECT_TRUE(health.connected);
  EXPECT_EQ(health.commands, 1u);
  EXPECT_EQ(health.reconnects, 0u);
  EXPECT_EQ(health.writes_dropped, 0u);
  EXPECT_EQ(health.last_error, "");
  for (const auto count : health.faults) EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace tessera::test
