#include "cache/tiered_store.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "cache/stored_value.h"

namespace tessera::cache {
namespace {

constexpr SystemTime kBorn{std::chrono::seconds(1'700'000'000)};
constexpr SystemTime kLongAgo{};
constexpr RemoteStore::Deadline kDeadline{};

// L2 as a map.
class MapStore final : public RemoteStore {
 public:
  boost::asio::awaitable<std::vector<std::optional<std::string>>> get(std::vector<std::string> keys,
                                                                      Deadline) override {
    asked.insert(asked.end(), keys.begin(), keys.end());
    std::vector<std::optional<std::string>> found;
    for (const std::string& key : keys) {
      const auto place = values.find(key);
      found.push_back(place == values.end() ? std::nullopt : std::optional(place->second));
    }
    if (while_answering) while_answering();
    co_return found;
  }
  void put(std::vector<RemoteItem> items) override {
    for (RemoteItem& item : items) values[item.key] = item.value;
  }
  boost::asio::awaitable<bool> drop_writes(std::string, std::optional<std::string>, Deadline) override {
    co_return true;
  }
  boost::asio::awaitable<std::optional<std::uint64_t>> purge(std::string, std::optional<std::string>,
                                                             Deadline) override {
    co_return std::nullopt;
  }
  RemoteHealth health() const override { return {}; }

  std::map<std::string, std::string> values;
  std::vector<std::string> asked;
  std::function<void()> while_answering;
};

template <class T>
T run(boost::asio::awaitable<T> work) {
  boost::asio::io_context context;
  std::optional<T> result;
  const auto body = [&]() -> boost::asio::awaitable<void> { result = co_await std::move(work); };
  boost::asio::co_spawn(context, body, boost::asio::detached);
  context.run();
  return std::move(*result);
}

FragmentPtr fragment_of(const std::string& id, const std::string& version, SystemTime born = kBorn) {
  return std::make_shared<const Fragment>(json::Id{false, id}, version, "{" + id + "}", "",
                                          std::vector<Fragment::Resource>(), born);
}

std::shared_ptr<const KeySpace> space_of(bool remote = true) {
  KeySpaceParts parts;
  parts.prefix = "t";
  parts.route = "courses";
  parts.vary = {{"accept-language", "fr"}};
  parts.remote = remote;
  return std::make_shared<const KeySpace>(parts);
}

struct Store {
  explicit Store(std::size_t budget = 1U << 20U) : memory(budget), tiers(memory, &remote, &generations) {}

  FoundRecords find(const std::vector<WantedRecord>& wanted, SystemTime oldest = kLongAgo) {
    return run(tiers.find(space, wanted, 0, oldest, nullptr, kDeadline));
  }

  MapStore remote;
  MemoryCache memory;
  Generations generations{1};
  TieredStore tiers;
  std::shared_ptr<const KeySpace> space = space_of();
};

WantedRecord want(std::string_view id, std::string_view version) {
  return {id, false, version};
}

TEST(TieredStore, FindsInMemoryFirst) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a"), fragment_of("2", "b")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  EXPECT_EQ(store.remote.values.size(), 2U);
  const FoundRecords found = store.find({want("2", "b"), want("3", "c"), want("1", "a")});
  ASSERT_EQ(found.fragments.size(), 3U);
  EXPECT_EQ(found.fragments[0]->view().bytes, "{2}");
  EXPECT_FALSE(found.fragments[1]);
  EXPECT_EQ(found.fragments[2]->view().bytes, "{1}");
  EXPECT_EQ(found.from_memory, 2U);
  EXPECT_EQ(found.from_remote, 0U);
  EXPECT_EQ(store.remote.asked, std::vector<std::string>{store.space->redis_key('f', "3", false)});
}

TEST(TieredStore, PutsWhatL2HasIntoMemory) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a")};
  store.tiers.put(*store.space, fragments, {"accept-language"}, 0, nullptr);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  EXPECT_EQ(store.find({want("1", "a")}).from_remote, 1U);
  EXPECT_EQ(store.find({want("1", "a")}).from_memory, 1U);
}

TEST(TieredStore, TakesOnlyTheWantedVersionFromBothTiers) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  EXPECT_FALSE(store.find({want("1", "b")}).fragments[0]);
  EXPECT_FALSE(store.find({want("1", "")}).fragments[0]);
  EXPECT_FALSE(store.find({{"1", true, "a"}}).fragments[0]);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  EXPECT_FALSE(store.find({want("1", "b")}).fragments[0]);
  EXPECT_EQ(store.memory.sizes().entries[0], 0U);
}

TEST(TieredStore, TakesOnlyWhatIsYoungEnough) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  EXPECT_TRUE(store.find({want("1", "a")}, kBorn).fragments[0]);
  EXPECT_FALSE(store.find({want("1", "a")}, kBorn + std::chrono::seconds(1)).fragments[0]);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  EXPECT_FALSE(store.find({want("1", "a")}, kBorn + std::chrono::seconds(1)).fragments[0]);
}

TEST(TieredStore, KeepsNothingWithoutAVersion) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  EXPECT_TRUE(store.remote.values.empty());
  EXPECT_EQ(store.memory.sizes().entries[0], 0U);
}

TEST(TieredStore, CountsCorruptValuesAsMisses) {
  Store store;
  store.remote.values[store.space->redis_key('f', "1", false)] = "garbage";
  store.remote.values[store.space->redis_key('f', "2", false)] = "";
  // Another record's value.
  const std::string other = store.space->redis_key('f', "9", false);
  store.remote.values[store.space->redis_key('f', "3", false)] =
      encode_fragment(other, *fragment_of("9", "a"), {});
  const FoundRecords found = store.find({want("1", "a"), want("2", "a"), want("3", "a")});
  EXPECT_EQ(found.corrupt, 3U);
  EXPECT_EQ(found.from_remote, 0U);
}

TEST(TieredStore, MissesWhereAFieldIsNotInTheKey) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a"), fragment_of("2", "a")};
  store.tiers.put(*store.space, fragments, {"accept-language", "x-tenant", "x-plan"}, 0, nullptr);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  const FoundRecords found = store.find({want("1", "a"), want("2", "a")});
  EXPECT_FALSE(found.fragments[0]);
  EXPECT_EQ(found.vary, (std::vector<std::string>{"x-tenant", "x-plan"}));
}

TEST(TieredStore, KeepsPrivateSpacesOutOfL2) {
  Store store;
  store.space = space_of(false);
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  store.tiers.put_envelopes(*store.space, std::make_shared<const EnvelopeSet>(), 0);
  EXPECT_TRUE(store.remote.values.empty());
  EXPECT_TRUE(store.find({want("1", "a")}).fragments[0]);
  EXPECT_FALSE(store.find({want("2", "a")}).fragments[0]);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  EXPECT_FALSE(run(store.tiers.find_envelopes(store.space, 0, kLongAgo, kDeadline)));
  EXPECT_TRUE(store.remote.asked.empty());
}

TEST(TieredStore, WorksWithoutL2) {
  MemoryCache memory(1U << 20U);
  TieredStore tiers(memory, nullptr);
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a")};
  const auto space = space_of();
  tiers.put(*space, fragments, {}, 0, nullptr);
  const FoundRecords found =
      run(tiers.find(space, {want("1", "a"), want("2", "a")}, 0, kLongAgo, nullptr, kDeadline));
  EXPECT_TRUE(found.fragments[0]);
  EXPECT_FALSE(found.fragments[1]);
}

TEST(TieredStore, WorksWithoutMemory) {
  Store store(0);
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  EXPECT_EQ(store.find({want("1", "a")}).from_remote, 1U);
  EXPECT_EQ(store.find({want("1", "a")}).from_remote, 1U);
}

TEST(TieredStore, KeepsEnvelopesInBothTiers) {
  Store store;
  EnvelopeSet set;
  set.content_type = "application/json";
  const auto kept = store.tiers.put_envelopes(*store.space, std::make_shared<const EnvelopeSet>(set), 0);
  EXPECT_EQ(*kept, set);
  EXPECT_EQ(run(store.tiers.find_envelopes(store.space, 0, kLongAgo, kDeadline)), kept);
  EXPECT_TRUE(store.remote.asked.empty());
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  const auto found = run(store.tiers.find_envelopes(store.space, 0, kLongAgo, kDeadline));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, set);
  EXPECT_EQ(run(store.tiers.find_envelopes(store.space, 0, kLongAgo, kDeadline)), found);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  store.remote.values.begin()->second += "x";
  EXPECT_FALSE(run(store.tiers.find_envelopes(store.space, 0, kLongAgo, kDeadline)));
}

TEST(TieredStore, KeepsNoEnvelopeOlderThanAllowed) {
  Store store;
  EnvelopeSet set;
  set.born = kBorn;
  store.tiers.put_envelopes(*store.space, std::make_shared<const EnvelopeSet>(set), 0);
  const SystemTime later = kBorn + std::chrono::microseconds(1);
  EXPECT_TRUE(run(store.tiers.find_envelopes(store.space, 0, kBorn, kDeadline)));
  EXPECT_FALSE(run(store.tiers.find_envelopes(store.space, 0, later, kDeadline)));
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  EXPECT_FALSE(run(store.tiers.find_envelopes(store.space, 0, later, kDeadline)));
  EXPECT_TRUE(run(store.tiers.find_envelopes(store.space, 0, kBorn, kDeadline)));
}

TEST(TieredStore, LeavesOutOfMemoryWhatWasPurgedWhileL2Answered) {
  Store store;
  const std::vector<FragmentPtr> fragments = {fragment_of("1", "a"), fragment_of("2", "a")};
  store.tiers.put(*store.space, fragments, {}, 0, nullptr);
  store.tiers.put_envelopes(*store.space, std::make_shared<const EnvelopeSet>(), 0);
  store.memory.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  store.remote.while_answering = [&] { store.generations.purge_record(0, "1"); };
  const FoundRecords found = store.find({want("1", "a"), want("2", "a")});
  EXPECT_TRUE(found.fragments[0]);  // who waits already is answered
  EXPECT_EQ(store.memory.sizes().entries[0], 1U);
  store.remote.while_answering = [&] { store.generations.purge_route(0); };
  EXPECT_TRUE(run(store.tiers.find_envelopes(store.space, 0, kLongAgo, kDeadline)));
  EXPECT_EQ(store.memory.sizes().entries[static_cast<std::size_t>(Kind::envelope)], 0U);
}

}  // namespace
}  // namespace tessera::cache
