// One shard of the memory cache: S3-FIFO (Yang, Zhang, Qiu, Yue, Vigfusson: "FIFO queues are all you need for
// cache eviction", SOSP 2023) under a mutex.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "cache/memory_cache.h"

namespace tessera::cache {

std::size_t hash_of(const MemoryKey& key);

// Bytes in and out of all shards. Shared with the objects that leave the cache later than their entries.
struct Books {
  std::atomic<std::size_t> total{0};      // of all entries
  std::atomic<std::size_t> newcomers{0};  // of those in the small queues
  std::atomic<std::size_t> pinned{0};     // of objects that lost their entry while somebody held them
};

// Thread-safe.
class FifoShard {
 public:
  explicit FifoShard(std::shared_ptr<Books> books);
  ~FifoShard();
  FifoShard(const FifoShard&) = delete;
  FifoShard& operator=(const FifoShard&) = delete;

  // What an entry takes beside its object.
  static std::size_t overhead_of(const MemoryKey& key);

  std::shared_ptr<const void> find(const MemoryKey& key, std::size_t hash);
  // Evicts nothing: the caller makes room afterwards.
  std::shared_ptr<const void> insert(MemoryKey key, std::size_t hash, std::shared_ptr<const void> object,
                                     std::size_t charge, std::uint32_t route,
                                     std::shared_ptr<const UseMark> mark);
  bool erase(const MemoryKey& key, std::size_t hash);
  std::size_t erase_if(const std::function<bool(const MemoryKey&, std::uint32_t route)>& predicate);
  // Looks in the small queue first, or in the main one. False when the shard is empty.
  bool evict_one(bool newcomers_first);
  void add_to(MemoryCache::Sizes& sizes) const;

 private:
  struct Held;
  struct Entry;
  // Oldest first.
  struct Queue {
    Entry* oldest = nullptr;
    Entry* newest = nullptr;
    std::size_t length = 0;
    void push(Entry& entry);
    void remove(Entry& entry);
  };
  struct KeyAndHash {
    const MemoryKey& key;
    std::size_t hash;
  };
  using EntryPtr = std::unique_ptr<Entry>;
  struct HashEntry {
    using is_transparent = void;
    std::size_t operator()(const EntryPtr& entry) const;
    std::size_t operator()(const KeyAndHash& key) const { return key.hash; }
  };
  struct SameEntry {
    using is_transparent = void;
    bool operator()(const EntryPtr& a, const EntryPtr& b) const;
    bool operator()(const EntryPtr& a, const KeyAndHash& b) const;
    bool operator()(const KeyAndHash& a, const EntryPtr& b) const { return (*this)(b, a); }
  };
  // Keys that were evicted without having been used, by their hash; at most as many as there are entries.
  struct Ghosts {
    std::deque<std::pair<std::size_t, std::uint64_t>> queue;  // hash, number
    boost::unordered_flat_map<std::size_t, std::uint64_t> numbers;
    std::uint64_t next = 0;
    void add(std::size_t hash, std::size_t limit);
    bool take(std::size_t hash);
  };

  Queue& queue_of(const Entry& entry);
  void add_to_books(const Entry& entry);
  void take_from_books(const Entry& entry);
  std::shared_ptr<Held> remove(Entry& entry);
  Entry* pick_newcomer();
  Entry* pick_resident();

  const std::shared_ptr<Books> books_;

  mutable std::mutex mutex_;                                         // protects all that follows
  boost::unordered_flat_set<EntryPtr, HashEntry, SameEntry> index_;  // owns the entries
  Queue small_;
  Queue main_;
  Ghosts ghosts_;
  std::array<std::size_t, kKinds> entries_by_kind_{};
  std::array<std::size_t, kKinds> bytes_by_kind_{};
  std::uint64_t evictions_ = 0;
};

}  // namespace tessera::cache
