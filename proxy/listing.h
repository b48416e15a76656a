// What is remembered of one caller's collection: its last manifest answer and the snapshots made from it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "cache/digest.h"
#include "cache/generations.h"
#include "cache/memory_cache.h"
#include "cache/snapshot.h"
#include "proxy/manifest_answer.h"

namespace tessera::proxy {

// Thread-safe. Lives in L1 (Kind::manifest) under the caller's digest; replaced when the manifest changes.
class Listing {
 public:
  explicit Listing(ManifestAnswerPtr answer) : answer_(std::move(answer)) {}

  // The last answer that held a manifest.
  ManifestAnswerPtr answer() const;
  void confirm(ManifestAnswerPtr answer);  // a later answer with the same manifest

  // The snapshot last made for this caller in a key space (one for each representation), wherever it is kept
  // in L1.
  struct LastSnapshot {
    cache::Digest space;
    cache::MemoryKey key;  // of the snapshot in L1
    std::weak_ptr<const cache::Snapshot> snapshot;
    cache::Generations::Token token;
  };
  std::optional<LastSnapshot> last(const cache::Digest& space) const;
  void remember(LastSnapshot last);
  // The snapshots of the listing that this one replaces.
  void inherit(const Listing& older);

  std::size_t memory_bytes() const;

 private:
  mutable std::mutex mutex_;
  ManifestAnswerPtr answer_;
  std::vector<LastSnapshot> snapshots_;  // newest last; few: one for each representation
};

using ListingPtr = std::shared_ptr<const Listing>;

}  // namespace tessera::proxy
