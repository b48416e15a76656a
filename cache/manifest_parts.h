// What a manifest is made of. Known to manifest.cc and manifest_reader.cc only.
//
// Invariants: complete before the manifest is shared, and never changed afterwards but for what is computed
// once, on demand. A view points into the document where the text stands there as it is, else into `decoded`,
// which is reserved to the document's length (no decoded text is longer than its source) and so never moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "cache/manifest.h"

namespace tessera::cache {

// Ids by their position. Both functors look an id up there.
struct EntryId {
  std::string_view text;
  bool is_number;
  bool operator==(const EntryId&) const = default;
};

inline EntryId id_of(const ManifestEntry& entry) {
  return {entry.id, entry.id_is_number};
}

struct IdHash {
  using is_transparent = void;
  const std::vector<ManifestEntry>* entries;
  std::size_t operator()(EntryId id) const;
  std::size_t operator()(std::uint32_t position) const { return (*this)(id_of((*entries)[position])); }
};

struct IdEqual {
  using is_transparent = void;
  const std::vector<ManifestEntry>* entries;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    return id_of((*entries)[a]) == id_of((*entries)[b]);
  }
  bool operator()(EntryId id, std::uint32_t position) const { return id == id_of((*entries)[position]); }
  bool operator()(std::uint32_t position, EntryId id) const { return (*this)(id, position); }
};

using IdIndex = boost::unordered_flat_set<std::uint32_t, IdHash, IdEqual>;

struct ManifestMember {
  std::string_view name;
  std::string_view value;
};

struct Manifest::Parts {
  std::string document;
  std::string decoded;
  std::vector<ManifestEntry> entries;
  IdIndex index{0, IdHash{&entries}, IdEqual{&entries}};
  std::string_view schema;
  std::optional<std::string_view> audience;
  std::vector<ManifestMember> members;
  std::size_t number_ids = 0;
  bool misses_version = false;

  mutable std::once_flag pairs_once;
  mutable Digest pairs;
  mutable std::once_flag whole_once;
  mutable Digest whole;
};

}  // namespace tessera::cache
