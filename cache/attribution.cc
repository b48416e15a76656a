// Finds out which included resources belong to which record, by following resource linkage (JSON:API 1.1,
// section "Compound Documents"): full linkage means that every included resource is reached by some record.
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cache/fragment.h"

namespace tessera::cache {
namespace {

// Resolves the linkage of one document.
class Attribution {
 public:
  Attribution(const json::CollectionSlice& slice, const TypeMap& types) : slice_(slice), types_(types) {
    resource_keys_.reserve(slice.included.size());
    for (const json::ResourceSlice& resource : slice.included) {
      resource_keys_.push_back(resource_key(resource.type, resource.id));
      resources_.emplace(resource_keys_.back(), resource_keys_.size() - 1);
    }
    own_keys_.reserve(slice.records.size());
    for (std::size_t i = 0; i < slice.records.size(); ++i) {
      const json::RecordSlice& record = slice.records[i];
      // Outside of JSON:API records have no type, and no linkage either.
      own_keys_.push_back(record.type.empty() ? std::string() : resource_key(record.type, record.id.text));
      if (!record.type.empty()) primaries_.emplace(own_keys_.back(), i);
    }
    visited_.assign(slice.included.size(), kNobody);
    is_reached_.assign(slice.included.size(), false);
  }

  // One of `included` twice: nobody can tell which of the two is meant.
  bool is_ambiguous() const { return resources_.size() != resource_keys_.size(); }
  bool reached_all() const {
    for (const bool is_reached : is_reached_) {
      if (!is_reached) return false;
    }
    return true;
  }
  std::string_view own_key(std::size_t record) const { return own_keys_[record]; }

  // Depth first, in document order, each resource once.
  const std::vector<ResourceView>& reach(std::size_t record) {
    found_.clear();
    primaries_found_.clear();
    record_ = record;
    push(slice_.records[record].links);
    while (!stack_.empty()) {
      Level& level = stack_.back();
      if (level.next == level.links->size()) {
        stack_.pop_back();
      } else {
        follow((*level.links)[level.next++]);
      }
    }
    return found_;
  }

 private:
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  using Index = boost::unordered_flat_map<std::string_view, std::size_t>;
  struct Level {
    const std::vector<json::Link>* links;
    std::size_t next;
  };

  void push(const std::vector<json::Link>& links) {
    if (!links.empty()) stack_.push_back({&links, 0});
  }

  void follow(const json::Link& link) {
    const auto mapped = types_.find(link.type);
    const std::string key = resource_key(mapped == types_.end() ? link.type : mapped->second, link.id);
    if (const auto found = resources_.find(key); found != resources_.end()) {
      const std::size_t index = found->second;
      if (visited_[index] == record_) return;
      visited_[index] = record_;
      is_reached_[index] = true;
      found_.push_back({resource_keys_[index], slice_.included[index].bytes});
      push(slice_.included[index].links);
    } else if (const auto primary = primaries_.find(key); primary != primaries_.end()) {
      if (primary->second == record_) return;
      if (!primaries_found_.emplace(primary->first, 0).second) return;
      found_.push_back({own_keys_[primary->second], {}});
    }
  }

  const json::CollectionSlice& slice_;
  const TypeMap& types_;
  std::vector<std::string> resource_keys_;
  std::vector<std::string> own_keys_;
  Index resources_;
  Index primaries_;
  std::vector<std::size_t> visited_;  // the record whose linkage reached a resource last
  std::vector<bool> is_reached_;
  std::size_t record_ = 0;
  std::vector<Level> stack_;
  std::vector<ResourceView> found_;
  Index primaries_found_;
};

}  // namespace

Result<std::vector<FragmentPtr>> make_fragments(const json::CollectionSlice& slice, const TypeMap& types,
                                                std::span<const std::string_view> versions, SystemTime born) {
  std::vector<FragmentPtr> fragments;
  fragments.reserve(slice.records.size());
  Attribution attribution(slice, types);
  if (attribution.is_ambiguous()) return Error::unattributed_resource;
  for (std::size_t i = 0; i < slice.records.size(); ++i) {
    const json::RecordSlice& record = slice.records[i];
    const std::vector<ResourceView>& resources = attribution.reach(i);
    fragments.push_back(std::make_shared<const Fragment>(record.id, std::string(versions[i]), record.bytes,
                                                         attribution.own_key(i), resources, born,
                                                         std::nullopt));
  }
  if (!attribution.reached_all()) return Error::unattributed_resource;
  return fragments;
}

}  // namespace tessera::cache
