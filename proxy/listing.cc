#include "proxy/listing.h"

#include <algorithm>

namespace tessera::proxy {
namespace {

constexpr std::size_t kRepresentations = 8;

}  // namespace

ManifestAnswerPtr Listing::answer() const {
  const std::lock_guard lock(mutex_);
  return answer_;
}

void Listing::confirm(ManifestAnswerPtr answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

std::optional<Listing::LastSnapshot> Listing::last(const cache::Digest& space) const {
  const std::lock_guard lock(mutex_);
  for (const LastSnapshot& last : snapshots_) {
    if (last.space == space) return last;
  }
  return std::nullopt;
}

void Listing::remember(LastSnapshot last) {
  const std::lock_guard lock(mutex_);
  std::erase_if(snapshots_, [&](const LastSnapshot& old) { return old.space == last.space; });
  if (snapshots_.size() == kRepresentations) snapshots_.erase(snapshots_.begin());
  snapshots_.push_back(std::move(last));
}

void Listing::inherit(const Listing& older) {
  std::vector<LastSnapshot> snapshots;
  {
    const std::lock_guard lock(older.mutex_);
    snapshots = older.snapshots_;
  }
  const std::lock_guard lock(mutex_);
  snapshots_ = std::move(snapshots);
}

std::size_t Listing::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = sizeof(Listing) + sizeof(ManifestAnswer) + kRepresentations * sizeof(LastSnapshot);
  for (const http::Field& field : answer_->head.fields)
    bytes += field.name.size() + field.value.size() + sizeof(field);
  return bytes + (answer_->manifest ? answer_->manifest->memory_bytes() : 0);
}

}  // namespace tessera::proxy
