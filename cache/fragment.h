// A record's bytes in one representation at one version, with the included resources that its linkage
// reaches.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/digest.h"
#include "cache/error.h"
#include "json/slicer.h"

namespace tessera::cache {

using SystemTime = std::chrono::system_clock::time_point;

// One included resource. The key is its type and id, each with its length before it.
struct ResourceView {
  std::string_view key;
  std::string_view bytes;

  // The linkage leads to a record that was primary in the document that the fragment was cut from: whether
  // the origin includes it where it is not primary, this fragment does not know. Then `bytes` is empty.
  bool is_mark() const { return bytes.empty(); }
};

// What assembly needs of a record, wherever its bytes live (a fragment, or an older snapshot).
struct FragmentView {
  std::string_view bytes;
  std::string_view
      own_key;  // JSON:API: the record's own (type, id) key, to leave it out of `included`; else ""
  std::span<const ResourceView> resources;
  Digest content;   // of bytes and resources, marks left out
  SystemTime born;  // when the origin rendered it
};

// Immutable. Views point into its own memory, so it is neither copied nor moved.
class Fragment {
 public:
  struct Resource {
    std::string key;
    std::string bytes;
  };
  Fragment(json::Id id, std::string version, std::string_view record, std::string_view own_key,
           const std::vector<Resource>& resources, SystemTime born);
  // From bytes that live elsewhere. `content`: known already (else unset, and computed).
  Fragment(json::Id id, std::string version, std::string_view record, std::string_view own_key,
           std::span<const ResourceView> resources, SystemTime born, std::optional<Digest> content);
  Fragment(const Fragment&) = delete;
  Fragment& operator=(const Fragment&) = delete;

  const json::Id& id() const { return id_; }
  std::string_view version() const { return version_; }
  FragmentView view() const { return view_; }
  std::size_t memory_bytes() const;

 private:
  static std::vector<ResourceView> views_of(const std::vector<Resource>& resources);

  json::Id id_;
  std::string version_;
  std::string memory_;  // record, own key, then each resource's key and bytes
  std::vector<ResourceView> resources_;
  FragmentView view_;
};

using FragmentPtr = std::shared_ptr<const Fragment>;

// Maps the type of a linkage to the type of the included resource where they differ ("slide" ->
// "fast_slide").
using TypeMap = std::map<std::string, std::string, std::less<>>;

std::string resource_key(std::string_view type, std::string_view id);

// FragmentView::content of a record and its resources.
Digest content_of(std::string_view record, std::span<const ResourceView> resources);

// For each record of the slice the included resources that its linkage reaches, transitively, in first-seen
// (depth-first, document) order. Error::unattributed_resource when one is reached by no record.
// `versions[i]` is the version to file record i under. Ids, bytes and order are the document's.
Result<std::vector<FragmentPtr>> make_fragments(const json::CollectionSlice& slice, const TypeMap& types,
                                                std::span<const std::string_view> versions, SystemTime born);

}  // namespace tessera::cache
