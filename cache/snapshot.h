// A finished, immutable body assembled from one manifest.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/envelope.h"
#include "cache/fragment.h"
#include "cache/manifest.h"
#include "cache/use_mark.h"

namespace tessera::cache {

class Snapshot {
 public:
  const std::shared_ptr<const Manifest>& manifest() const { return manifest_; }
  const std::shared_ptr<const EnvelopeSet>& envelopes() const { return envelopes_; }
  std::string_view body() const { return body_; }
  std::string_view etag() const { return etag_; }  // with its quotes; strong
  // The record at the manifest's position `index`; its bytes live in the body.
  FragmentView record(std::size_t index) const;
  // When the record that was rendered first was rendered; the far future when there is none.
  SystemTime oldest() const { return oldest_; }
  // Touched on every hit, and shared with the snapshots and fragments that descend from this one.
  const std::shared_ptr<UseMark>& mark() const { return mark_; }
  std::size_t memory_bytes() const;

 private:
  friend class Assembler;
  struct Placed {
    std::uint64_t offset;
    std::uint32_t length;
    std::uint32_t first_resource;
    std::uint32_t resource_count;
    std::uint32_t own_key_offset;
    std::uint32_t own_key_length;
    Digest content;
    SystemTime born;
  };
  Snapshot() = default;

  std::shared_ptr<const Manifest> manifest_;
  std::shared_ptr<const EnvelopeSet> envelopes_;
  std::shared_ptr<UseMark> mark_;
  std::string body_;
  std::string etag_;
  SystemTime oldest_ = SystemTime::max();
  std::string keys_;                     // own keys and resource keys
  std::vector<Placed> records_;          // one for each entry of the manifest
  std::vector<ResourceView> resources_;  // views into body_ and keys_
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace tessera::cache
