// Invariants. An entry is in its shard's index and in exactly one of its two queues. `total` of the books is
// what the entries of all shards are charged, `pinned` what was taken out of the cache while somebody still
// held it. Objects are destroyed with no lock held.
//
// The two queues are each shard's own, but budget, and how much of it newcomers may take, are counted over
// all shards: a snapshot may be larger than one shard's share. A thread that finds the budget exceeded makes
// room shard by shard.
#include "cache/memory_cache.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

#include "cache/fifo_shard.h"

namespace tessera::cache {
namespace {

constexpr std::size_t kBytesPerShard = 2U << 20U;  // so that a small budget is not cut into slivers
constexpr std::size_t kMostShards = 64;

std::size_t shard_count(std::size_t budget) {
  return std::bit_floor(std::clamp<std::size_t>(budget / kBytesPerShard, 1, kMostShards));
}

}  // namespace

struct MemoryCache::Impl {
  explicit Impl(std::size_t budget_bytes) : budget(budget_bytes), books(std::make_shared<Books>()) {
    const std::size_t count = shard_count(budget);
    for (std::size_t i = 0; i < count; ++i) shards.push_back(std::make_unique<FifoShard>(books));
  }

  FifoShard& shard_of(std::size_t hash) { return *shards[hash >> 32U & (shards.size() - 1)]; }

  bool is_over_budget() const { return books->total.load() + books->pinned.load() > budget; }

  // One entry at a time from each shard in turn. What somebody still holds goes on counting, so there may be
  // nothing left to evict before the budget is kept.
  void make_room() {
    std::size_t without_success = 0;
    while (is_over_budget() && without_success < shards.size()) {
      FifoShard& shard = *shards[next_shard.fetch_add(1, std::memory_order_relaxed) & (shards.size() - 1)];
      const bool newcomers_first = books->newcomers.load() > budget / kNewcomerShare;
      without_success = shard.evict_one(newcomers_first) ? 0 : without_success + 1;
    }
  }

  static constexpr std::size_t kNewcomerShare = 10;  // a tenth of the budget (section 4 of the paper)

  const std::size_t budget;
  const std::shared_ptr<Books> books;
  std::vector<std::unique_ptr<FifoShard>> shards;
  std::atomic<std::size_t> next_shard{0};
};

MemoryCache::MemoryCache(std::size_t budget_bytes) : impl_(std::make_unique<Impl>(budget_bytes)) {}

MemoryCache::~MemoryCache() = default;

bool MemoryCache::enabled() const {
  return impl_->budget != 0;
}

std::shared_ptr<const void> MemoryCache::find_any(const MemoryKey& key) {
  if (!enabled()) return nullptr;
  const std::size_t hash = hash_of(key);
  return impl_->shard_of(hash).find(key, hash);
}

std::shared_ptr<const void> MemoryCache::insert_any(MemoryKey key, std::shared_ptr<const void> object,
                                                    std::size_t bytes, std::uint32_t route,
                                                    std::shared_ptr<const UseMark> mark) {
  if (!enabled()) return object;
  const std::size_t charge = bytes + FifoShard::overhead_of(key);
  const std::size_t hash = hash_of(key);
  FifoShard& shard = impl_->shard_of(hash);
  const std::size_t limit = key.kind == Kind::snapshot ? impl_->budget / 2 : impl_->budget / 10;
  if (charge > limit) {
    shard.erase(key, hash);  // what is there is out of date
    return object;
  }
  std::shared_ptr<const void> kept =
      shard.insert(std::move(key), hash, std::move(object), charge, route, std::move(mark));
  impl_->make_room();
  return kept;
}

bool MemoryCache::erase(const MemoryKey& key) {
  const std::size_t hash = hash_of(key);
  return impl_->shard_of(hash).erase(key, hash);
}

std::size_t MemoryCache::erase_if(
    const std::function<bool(const MemoryKey&, std::uint32_t route)>& predicate) {
  std::size_t erased = 0;
  for (const std::unique_ptr<FifoShard>& shard : impl_->shards) erased += shard->erase_if(predicate);
  return erased;
}

MemoryCache::Sizes MemoryCache::sizes() const {
  Sizes sizes;
  sizes.budget = impl_->budget;
  for (const std::unique_ptr<FifoShard>& shard : impl_->shards) shard->add_to(sizes);
  sizes.pinned_bytes = impl_->books->pinned.load();
  return sizes;
}

}  // namespace tessera::cache
