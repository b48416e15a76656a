// L1, then L2 for what is missing there; what L2 has is put into L1.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cache/envelope.h"
#include "cache/fragment.h"
#include "cache/generations.h"
#include "cache/key_space.h"
#include "cache/memory_cache.h"
#include "cache/remote_store.h"

namespace tessera::cache {

struct WantedRecord {
  std::string_view id;
  bool id_is_number = false;
  std::string_view version;
};

struct FoundRecords {
  std::vector<FragmentPtr> fragments;  // one for each that was wanted; null: missing
  std::size_t from_memory = 0;
  std::size_t from_remote = 0;
  std::size_t corrupt = 0;  // L2 values that did not read back
  std::vector<std::string>
      vary;  // names that L2 values vary on and the key space does not cover (those are misses)
};

// One per event loop; the memory cache is shared by all. Only fragments at exactly the wanted version come
// out, and nothing that was rendered before `oldest`.
class TieredStore {
 public:
  // `remote` may be null. With `generations`, what L2 answers to a find that began before a purge is not put
  // into L1.
  TieredStore(MemoryCache& memory, RemoteStore* remote, const Generations* generations = nullptr);

  boost::asio::awaitable<FoundRecords> find(std::shared_ptr<const KeySpace> space,
                                            std::vector<WantedRecord> wanted, std::uint32_t route,
                                            SystemTime oldest, std::shared_ptr<const UseMark> mark,
                                            RemoteStore::Deadline deadline);
  // Into both tiers (L2 only when the space may); fragments without a version into neither.
  void put(const KeySpace& space, std::span<const FragmentPtr> fragments,
           const std::vector<std::string>& vary, std::uint32_t route, std::shared_ptr<const UseMark> mark);

  boost::asio::awaitable<std::shared_ptr<const EnvelopeSet>> find_envelopes(
      std::shared_ptr<const KeySpace> space, std::uint32_t route, SystemTime oldest,
      RemoteStore::Deadline deadline);
  std::shared_ptr<const EnvelopeSet> put_envelopes(const KeySpace& space,
                                                   std::shared_ptr<const EnvelopeSet> envelopes,
                                                   std::uint32_t route);

  MemoryCache& memory() { return memory_; }
  RemoteStore* remote() { return remote_; }

 private:
  MemoryCache& memory_;
  RemoteStore* remote_;
  const Generations* generations_;
};

}  // namespace tessera::cache
