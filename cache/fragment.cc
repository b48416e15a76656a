#include "cache/fragment.h"

#include <utility>

namespace tessera::cache {
namespace {

void append_part(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

}  // namespace

Digest content_of(std::string_view record, std::span<const ResourceView> resources) {
  DigestBuilder builder;
  builder.add_part(record);
  for (const ResourceView& resource : resources) {
    if (resource.is_mark()) continue;
    builder.add_part(resource.key);
    builder.add_part(resource.bytes);
  }
  return builder.finish();
}

Fragment::Fragment(json::Id id, std::string version, std::string_view record, std::string_view own_key,
                   const std::vector<Resource>& resources, SystemTime born)
    : Fragment(std::move(id), std::move(version), record, own_key, views_of(resources), born, std::nullopt) {}

Fragment::Fragment(json::Id id, std::string version, std::string_view record, std::string_view own_key,
                   std::span<const ResourceView> resources, SystemTime born, std::optional<Digest> content)
    : id_(std::move(id)), version_(std::move(version)) {
  std::size_t size = record.size() + own_key.size();
  for (const ResourceView& resource : resources) size += resource.key.size() + resource.bytes.size();
  memory_.reserve(size);
  const auto keep = [this](std::string_view bytes) {
    const std::size_t offset = memory_.size();
    memory_ += bytes;
    return std::string_view(memory_).substr(offset);
  };
  view_.bytes = keep(record);
  view_.own_key = keep(own_key);
  resources_.reserve(resources.size());
  for (const ResourceView& resource : resources) {
    const std::string_view key = keep(resource.key);
    resources_.push_back({key, keep(resource.bytes)});
  }
  view_.resources = resources_;
  view_.content = content ? *content : content_of(view_.bytes, view_.resources);
  view_.born = born;
}

std::vector<ResourceView> Fragment::views_of(const std::vector<Resource>& resources) {
  std::vector<ResourceView> views;
  views.reserve(resources.size());
  for (const Resource& resource : resources) views.push_back({resource.key, resource.bytes});
  return views;
}

std::size_t Fragment::memory_bytes() const {
  constexpr std::size_t kControlBlock = 32;  // of the pointer that owns it, and the allocator's share
  return sizeof(Fragment) + kControlBlock + id_.text.capacity() + version_.capacity() + memory_.capacity() +
         resources_.capacity() * sizeof(ResourceView);
}

std::string resource_key(std::string_view type, std::string_view id) {
  std::string key;
  append_part(key, type);
  append_part(key, id);
  return key;
}

}  // namespace tessera::cache
