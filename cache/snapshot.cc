#include "cache/snapshot.h"

namespace tessera::cache {

FragmentView Snapshot::record(std::size_t index) const {
  const Placed& placed = records_[index];
  FragmentView view;
  view.bytes = std::string_view(body_).substr(placed.offset, placed.length);
  view.own_key = std::string_view(keys_).substr(placed.own_key_offset, placed.own_key_length);
  view.resources = std::span(resources_).subspan(placed.first_resource, placed.resource_count);
  view.content = placed.content;
  view.born = placed.born;
  return view;
}

std::size_t Snapshot::memory_bytes() const {
  constexpr std::size_t kControlBlocks = 96;  // of the pointers to it and to its mark, and the mark itself
  return sizeof(Snapshot) + kControlBlocks + body_.capacity() + etag_.capacity() + keys_.capacity() +
         records_.capacity() * sizeof(Placed) + resources_.capacity() * sizeof(ResourceView);
}

}  // namespace tessera::cache
