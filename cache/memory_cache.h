// L1: this process's memory, under one byte budget for fragments, snapshots, manifests and envelopes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cache/digest.h"
#include "cache/use_mark.h"

namespace tessera::cache {

enum class Kind : unsigned char { fragment, snapshot, manifest, envelope };
inline constexpr std::size_t kKinds = 4;

struct MemoryKey {
  Kind kind = Kind::fragment;
  Digest space;  // the key space, or another 128-bit name
  std::string
      rest;  // the id ('s' or 'n' before it) of a fragment; else what tells entries of one space apart
  bool operator==(const MemoryKey&) const = default;
};

// Sharded; thread-safe; find and insert take one shard's mutex each. Evicts by S3-FIFO (Yang, Zhang, Qiu,
// Yue, Vigfusson: "FIFO queues are all you need for cache eviction", SOSP 2023): a small FIFO for newcomers,
// a main FIFO for what was used again, a ghost FIFO of recently evicted keys. An entry whose UseMark advanced
// since it was last looked at counts as used. Objects that are evicted while somebody still holds them stay
// in the books until they are let go, so a slow client cannot make memory grow past the budget unseen.
class MemoryCache {
 public:
  explicit MemoryCache(std::size_t budget_bytes);  // 0: keeps nothing
  ~MemoryCache();
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;

  bool enabled() const;

  // T is the type that the kind was inserted with; the pointer keeps the object alive and in the books.
  template <class T>
  std::shared_ptr<const T> find(const MemoryKey& key) {
    return std::static_pointer_cast<const T>(find_any(key));
  }

  // `bytes` is what the object itself takes; key and overhead are added here. Replaces what is there. An
  // object larger than a tenth of the budget (for a snapshot: half) is not kept. `route` is a number the
  // caller chose, for erase_if. Returns a pointer that is in the books (or `object` itself when it is not
  // kept).
  template <class T>
  std::shared_ptr<const T> insert(MemoryKey key, std::shared_ptr<const T> object, std::size_t bytes,
                                  std::uint32_t route, std::shared_ptr<const UseMark> mark = nullptr) {
    std::shared_ptr<const void> kept = std::move(object);
    kept = insert_any(std::move(key), std::move(kept), bytes, route, std::move(mark));
    return std::static_pointer_cast<const T>(std::move(kept));
  }

  bool erase(const MemoryKey& key);
  // Visits every entry; returns how many went.
  std::size_t erase_if(const std::function<bool(const MemoryKey&, std::uint32_t route)>& predicate);

  struct Sizes {
    std::size_t budget = 0;
    std::size_t bytes = 0;         // entries, with keys and overhead
    std::size_t pinned_bytes = 0;  // evicted or replaced, but still held by somebody
    std::array<std::size_t, kKinds> entries{};
    std::array<std::size_t, kKinds> bytes_by_kind{};
    std::uint64_t evictions = 0;
  };
  Sizes sizes() const;

 private:
  std::shared_ptr<const void> find_any(const MemoryKey& key);
  std::shared_ptr<const void> insert_any(MemoryKey key, std::shared_ptr<const void> object, std::size_t bytes,
                                         std::uint32_t route, std::shared_ptr<const UseMark> mark);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::cache
