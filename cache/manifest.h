// A manifest: the ordered (id, version) pairs that a collection would hold right now, for one caller.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/digest.h"
#include "cache/error.h"
#include "json/pointer.h"

namespace tessera::cache {

// Ids and versions are opaque bytes: never parsed, rounded or re-formatted.
struct ManifestEntry {
  std::string_view id;  // a string's decoded text, or a number's token
  bool id_is_number = false;
  bool has_version = false;  // false: null, missing or empty
  std::string_view version;  // a string's decoded text, or another scalar's token
};

struct ManifestShape {
  json::Pointer array;    // "/records"
  json::Pointer id;       // of an entry, relative to it: "/0"
  json::Pointer version;  // "/1"
};

// Immutable; the views point into memory that it owns.
class Manifest {
 public:
  // Takes the document's bytes. `schema`, `audience` and `members` are read at the document's top level when
  // they are there (schema and audience as strings or numbers, members as an object of at most 64 members
  // whose values are kept as raw bytes; null counts as absent), unless the array lies on their way. An id is
  // a string or a number; entries are arrays or objects, or with the id pointer "" the ids themselves.
  // Errors: not_a_manifest (also for a name that counts and comes twice), duplicate_id, or json::Error for
  // what is no JSON.
  static Result<std::shared_ptr<const Manifest>> parse(std::string document, const ManifestShape& shape);

  std::string_view document() const;
  std::string_view schema() const;  // "" when none is given
  std::optional<std::string_view> audience() const;
  const std::vector<ManifestEntry>& entries() const;
  bool all_ids_are_numbers() const;  // false when empty
  bool all_ids_are_strings() const;  // false when empty

  // The raw bytes of a member's value (JSON), unset when the manifest does not supply it.
  std::optional<std::string_view> member(std::string_view name) const;
  std::vector<std::string_view> member_names() const;

  // Schema and pairs: equal digests mean that the collection holds the same records at the same versions.
  const Digest& pairs_digest() const;
  // Schema, audience, pairs and members: equal digests mean equal collection bytes.
  const Digest& digest() const;

  // Index of an id; unset when it is not listed.
  std::optional<std::size_t> find(std::string_view id, bool id_is_number) const;

  std::size_t memory_bytes() const;  // for the memory budget
  bool has_missing_version() const;

  struct Parts;
  explicit Manifest(std::unique_ptr<Parts> parts);
  ~Manifest();

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace tessera::cache
