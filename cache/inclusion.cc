#include "cache/inclusion.h"

namespace tessera::cache {

bool Inclusion::collect(std::span<const FragmentView> records, Conflict& conflict) {
  std::size_t resources = 0;
  for (const FragmentView& record : records) resources += record.resources.size();
  if (resources == 0) return true;
  shown_index_.reserve(resources);
  primaries_.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].own_key.empty()) primaries_.emplace(records[i].own_key, i);
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    bool has_primary = false;
    for (const ResourceView& resource : records[i].resources) {
      if (primaries_.contains(resource.key)) {
        has_primary = true;
        continue;
      }
      const auto [place, is_new] = shown_index_.try_emplace(resource.key, shown_.size());
      if (resource.is_mark() || (!is_new && shown_[place->second].bytes != resource.bytes)) {
        conflict = {is_new || resource.is_mark() ? i : shown_[place->second].record, i};
        return false;
      }
      if (is_new) shown_.push_back({resource.key, resource.bytes, i});
    }
    if (has_primary) records_with_primaries_.push_back(i);
  }
  return true;
}

}  // namespace tessera::cache
