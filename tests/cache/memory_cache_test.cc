#include "cache/memory_cache.h"

#include <deque>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

using Object = std::string;
using ObjectPtr = std::shared_ptr<const Object>;

MemoryKey key_of(std::size_t number, Kind kind = Kind::fragment) {
  return {kind, digest_of("space"), "s" + std::to_string(number)};
}

ObjectPtr object_of(std::size_t number) {
  return std::make_shared<const Object>("object " + std::to_string(number));
}

std::size_t used(const MemoryCache& cache) {
  const MemoryCache::Sizes sizes = cache.sizes();
  return sizes.bytes + sizes.pinned_bytes;
}

TEST(MemoryCache, FindsWhatWasInserted) {
  MemoryCache cache(1U << 20U);
  EXPECT_TRUE(cache.enabled());
  EXPECT_FALSE(cache.find<Object>(key_of(1)));
  const ObjectPtr kept = cache.insert(key_of(1), object_of(1), 100, 7);
  EXPECT_EQ(*kept, "object 1");
  EXPECT_EQ(cache.find<Object>(key_of(1)), kept);
  EXPECT_FALSE(cache.find<Object>(key_of(2)));
  EXPECT_FALSE(cache.find<Object>(key_of(1, Kind::manifest)));
  MemoryKey elsewhere = key_of(1);
  elsewhere.space = digest_of("other");
  EXPECT_FALSE(cache.find<Object>(elsewhere));
}

TEST(MemoryCache, ReplacesWhatIsThere) {
  MemoryCache cache(1U << 20U);
  cache.insert(key_of(1), object_of(1), 100, 7);
  const std::size_t one = cache.sizes().bytes;
  cache.insert(key_of(1), object_of(2), 300, 7);
  EXPECT_EQ(*cache.find<Object>(key_of(1)), "object 2");
  EXPECT_EQ(cache.sizes().bytes, one + 200);
  EXPECT_EQ(cache.sizes().entries[0], 1U);
  EXPECT_EQ(cache.sizes().evictions, 0U);
}

TEST(MemoryCache, KeepsNothingWithoutABudget) {
  MemoryCache cache(0);
  EXPECT_FALSE(cache.enabled());
  const ObjectPtr object = object_of(1);
  EXPECT_EQ(cache.insert(key_of(1), object, 100, 7), object);
  EXPECT_FALSE(cache.find<Object>(key_of(1)));
  EXPECT_FALSE(cache.erase(key_of(1)));
  EXPECT_EQ(used(cache), 0U);
}

TEST(MemoryCache, CountsKeysAndOverhead) {
  MemoryCache cache(1U << 20U);
  cache.insert(key_of(1), object_of(1), 1000, 0);
  const std::size_t short_key = cache.sizes().bytes;
  EXPECT_GT(short_key, 1000 + sizeof(MemoryKey));
  cache.insert({Kind::manifest, digest_of("x"), std::string(5000, 'k')}, object_of(2), 1000, 0);
  EXPECT_GE(cache.sizes().bytes - short_key, short_key + 5000);
  EXPECT_EQ(cache.sizes().entries[static_cast<std::size_t>(Kind::manifest)], 1U);
  EXPECT_EQ(cache.sizes().bytes_by_kind[0], short_key);
}

TEST(MemoryCache, RefusesWhatIsTooLarge) {
  MemoryCache cache(100'000);
  cache.insert(key_of(1), object_of(1), 100, 0);
  const ObjectPtr large = object_of(2);
  EXPECT_EQ(cache.insert(key_of(1), large, 10'001, 0), large);
  EXPECT_FALSE(cache.find<Object>(key_of(1)));  // it was out of date
  EXPECT_TRUE(cache.insert(key_of(1, Kind::snapshot), large, 40'000, 0));
  EXPECT_TRUE(cache.find<Object>(key_of(1, Kind::snapshot)));
  cache.insert(key_of(2, Kind::snapshot), large, 50'001, 0);
  EXPECT_FALSE(cache.find<Object>(key_of(2, Kind::snapshot)));
}

TEST(MemoryCache, ErasesByKeyAndByRoute) {
  MemoryCache cache(1U << 20U);
  for (std::size_t i = 0; i < 100; ++i) cache.insert(key_of(i), object_of(i), 10, i % 2);
  EXPECT_TRUE(cache.erase(key_of(0)));
  EXPECT_FALSE(cache.erase(key_of(0)));
  EXPECT_EQ(cache.erase_if([](const MemoryKey&, std::uint32_t route) { return route == 0; }), 49U);
  EXPECT_EQ(cache.sizes().entries[0], 50U);
  EXPECT_FALSE(cache.find<Object>(key_of(2)));
  EXPECT_TRUE(cache.find<Object>(key_of(1)));
  EXPECT_EQ(cache.erase_if([](const MemoryKey& key, std::uint32_t) { return key.rest == "s1"; }), 1U);
  EXPECT_EQ(cache.erase_if([](const MemoryKey&, std::uint32_t) { return true; }), 49U);
  EXPECT_EQ(used(cache), 0U);
}

TEST(MemoryCache, CountsWhatIsHeldAfterItWasEvicted) {
  MemoryCache cache(1U << 20U);
  ObjectPtr held = cache.insert(key_of(1), object_of(1), 5000, 0);
  const std::size_t charge = cache.sizes().bytes;
  EXPECT_EQ(cache.sizes().pinned_bytes, 0U);
  cache.erase(key_of(1));
  EXPECT_EQ(cache.sizes().bytes, 0U);
  EXPECT_EQ(cache.sizes().pinned_bytes, charge);
  EXPECT_EQ(*held, "object 1");
  held.reset();
  EXPECT_EQ(cache.sizes().pinned_bytes, 0U);

  held = cache.insert(key_of(2), object_of(2), 5000, 0);
  cache.insert(key_of(2), object_of(3), 5000, 0);
  EXPECT_EQ(cache.sizes().pinned_bytes, charge);
  ObjectPtr copy = held;
  held.reset();
  EXPECT_EQ(cache.sizes().pinned_bytes, charge);
  copy.reset();
  EXPECT_EQ(cache.sizes().pinned_bytes, 0U);
}

TEST(MemoryCache, LetsObjectsOutliveIt) {
  ObjectPtr held;
  {
    MemoryCache cache(1U << 20U);
    held = cache.insert(key_of(1), object_of(1), 100, 0);
  }
  EXPECT_EQ(*held, "object 1");
}

TEST(MemoryCache, MakesRoomForPinnedBytes) {
  MemoryCache cache(100'000);
  for (std::size_t i = 0; i < 50; ++i) cache.insert(key_of(i), object_of(i), 1000, 0);
  std::vector<ObjectPtr> held;
  for (std::size_t i = 100; i < 200; ++i) {
    held.push_back(cache.insert(key_of(i), object_of(i), 5000, 0));
    cache.erase(key_of(i));
  }
  EXPECT_GT(cache.sizes().pinned_bytes, 500'000U);
  cache.insert(key_of(300), object_of(300), 10, 0);
  EXPECT_EQ(cache.sizes().bytes, 0U);  // everything went, and still it is over the budget
  held.clear();
  cache.insert(key_of(301), object_of(301), 10, 0);
  EXPECT_TRUE(cache.find<Object>(key_of(301)));
}

TEST(MemoryCache, LevelsOffUnderAMillionUniqueKeys) {
  constexpr std::size_t kBudget = 8U << 20U;
  MemoryCache cache(kBudget);
  std::size_t most = 0;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    cache.insert(key_of(i), object_of(i), 200, 0);
    if (i % 1000 == 0) most = std::max(most, used(cache));
  }
  EXPECT_LE(most, kBudget);
  EXPECT_GE(used(cache), kBudget * 95 / 100);
  const MemoryCache::Sizes sizes = cache.sizes();
  EXPECT_EQ(sizes.evictions + sizes.entries[0], 1'000'000U);
  EXPECT_EQ(sizes.pinned_bytes, 0U);
}

TEST(MemoryCache, KeepsWhatIsUsedThroughAScan) {
  MemoryCache cache(1U << 20U);
  for (std::size_t i = 0; i < 100; ++i) cache.insert(key_of(i), object_of(i), 1000, 0);
  for (std::size_t i = 1000; i < 20'000; ++i) {
    cache.insert(key_of(i), object_of(i), 1000, 0);
    if (i % 50 == 0) {
      for (std::size_t k = 0; k < 100; ++k) EXPECT_TRUE(cache.find<Object>(key_of(k))) << k << " at " << i;
    }
  }
}

TEST(MemoryCache, CountsAUseOfTheMarkAsAUseOfTheEntry) {
  MemoryCache cache(1U << 20U);
  const auto mark = std::make_shared<UseMark>();
  const auto idle = std::make_shared<UseMark>();
  for (std::size_t i = 0; i < 100; ++i) cache.insert(key_of(i), object_of(i), 1000, 0, mark);
  for (std::size_t i = 100; i < 200; ++i) cache.insert(key_of(i), object_of(i), 1000, 0, idle);
  for (std::size_t i = 1000; i < 20'000; ++i) {
    cache.insert(key_of(i), object_of(i), 1000, 0);
    if (i % 20 == 0) mark->touch();
  }
  for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(cache.find<Object>(key_of(i))) << i;
  for (std::size_t i = 100; i < 200; ++i) EXPECT_FALSE(cache.find<Object>(key_of(i))) << i;
}

TEST(MemoryCache, TakesBackWhatItEvictedTooEarly) {
  MemoryCache cache(1U << 20U);
  for (std::size_t i = 0; i < 1000; ++i) cache.insert(key_of(i), object_of(i), 1000, 0);
  std::size_t evicted = 0;
  while (cache.find<Object>(key_of(evicted))) ++evicted;
  cache.insert(key_of(evicted), object_of(evicted), 1000, 0);  // remembered: it goes to the main queue
  for (std::size_t i = 2000; i < 2500; ++i) cache.insert(key_of(i), object_of(i), 1000, 0);
  EXPECT_TRUE(cache.find<Object>(key_of(evicted)));
}

// The paper's point: more hits than a FIFO, or an LRU, on skewed requests with one-hit wonders between.
TEST(MemoryCache, HitsMoreOftenThanPlainFifo) {
  constexpr std::size_t kEntry = 1000;
  constexpr std::size_t kBudget = 1U << 20U;
  MemoryCache cache(kBudget);
  std::mt19937_64 random(17);
  std::deque<std::size_t> fifo;
  std::vector<bool> in_fifo(2'000'000, false);
  std::size_t hits = 0;
  std::size_t fifo_hits = 0;
  std::size_t wonder = 1'000'000;
  cache.insert(key_of(0), object_of(0), kEntry, 0);
  const std::size_t capacity = kBudget / cache.sizes().bytes;
  for (int i = 0; i < 200'000; ++i) {
    const double uniform = static_cast<double>(random() % 1'000'000) / 1e6;
    const auto popular = static_cast<std::size_t>(10'000 * uniform * uniform * uniform);
    const std::size_t number = random() % 4 == 0 ? wonder++ : popular;
    if (cache.find<Object>(key_of(number))) {
      ++hits;
    } else {
      cache.insert(key_of(number), object_of(number), kEntry, 0);
    }
    if (in_fifo[number]) {
      ++fifo_hits;
    } else {
      in_fifo[number] = true;
      fifo.push_back(number);
      if (fifo.size() > capacity) {
        in_fifo[fifo.front()] = false;
        fifo.pop_front();
      }
    }
  }
  EXPECT_GT(hits, fifo_hits + fifo_hits / 10);
}

TEST(MemoryCache, KeepsItsBooksUnderManyThreads) {
  constexpr std::size_t kBudget = 4U << 20U;
  MemoryCache cache(kBudget);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      std::mt19937_64 random(t + 1);
      std::vector<ObjectPtr> held;
      for (int i = 0; i < 20'000; ++i) {
        const std::size_t number = random() % 5000;
        switch (random() % 8) {
          case 0:
            cache.erase(key_of(number));
            break;
          case 1:
            if (ObjectPtr object = cache.find<Object>(key_of(number))) held.push_back(std::move(object));
            break;
          case 2:
            held.clear();
            break;
          case 3: {
            const ObjectPtr object = cache.find<Object>(key_of(number));
            EXPECT_TRUE(!object || *object == "object " + std::to_string(number));
            break;
          }
          default:
            cache.insert(key_of(number), object_of(number), random() % 3000, t);
            break;
        }
        if (i % 5000 == 0) cache.erase_if([&](const MemoryKey&, std::uint32_t route) { return route == t; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.sizes().pinned_bytes, 0U);
  EXPECT_LE(cache.sizes().bytes, kBudget);
  cache.erase_if([](const MemoryKey&, std::uint32_t) { return true; });
  EXPECT_EQ(used(cache), 0U);
}

}  // namespace
}  // namespace tessera::cache
