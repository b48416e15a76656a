#include "proxy/route_health.h"

namespace tessera::proxy {
namespace {

// Schemas come from the origin: only so many are remembered, then verification starts over.
constexpr std::size_t kSchemas = 64;
constexpr std::size_t kSpaces = 1'024;

}  // namespace

Reason RouteHealth::closed(const cache::Digest& target, Now now) const {
  if (mode() == config::RouteMode::pass) return Reason::switched_off;
  if (mismatch_.load(std::memory_order_relaxed)) return Reason::mismatch;
  if (now.time_since_epoch().count() < rests_until_.load(std::memory_order_relaxed))
    return Reason::route_rests;
  const std::lock_guard lock(mutex_);
  return targets_.rests(target, now) ? Reason::route_rests : Reason::none;
}

void RouteHealth::set_mode(config::RouteMode mode) {
  mode_.store(mode, std::memory_order_relaxed);
  mismatch_.store(false, std::memory_order_relaxed);
  failures_.store(0, std::memory_order_relaxed);
  rests_until_.store(0, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  verified_.clear();
  resting_.clear();
  targets_.clear();
}

void RouteHealth::take_over(const RouteHealth& before) {
  mode_.store(before.mode(), std::memory_order_relaxed);
  mismatch_.store(before.mismatch_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  knows_manifests_.store(before.knows_manifests(), std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_, before.mutex_);
  verified_ = before.verified_;
}

void RouteHealth::rest(const cache::Digest& space, Reason reason, const std::string& detail, Now now) {
  const std::lock_guard lock(mutex_);
  // Clients choose what key spaces there are: past the bound everybody is tried again.
  if (resting_.size() >= kSpaces) resting_.clear();
  resting_.insert_or_assign(std::string(space.view()), Rest{reason, detail, now + kRest});
}

Reason RouteHealth::resting(const cache::Digest& space, Now now, std::string* detail) const {
  const std::lock_guard lock(mutex_);
  if (resting_.empty()) return Reason::none;
  const auto at = resting_.find(std::string(space.view()));
  if (at == resting_.end() || at->second.until <= now) return Reason::none;
  *detail = at->second.detail;
  return at->second.reason;
}

void RouteHealth::failed(const cache::Digest& target, Now now) {
  bool counts = false;
  {
    const std::lock_guard lock(mutex_);
    counts = targets_.failed(target, now);
  }
  if (!counts && knows_manifests()) return;
  if (failures_.fetch_add(1, std::memory_order_relaxed) + 1 < kFailuresInARow) return;
  failures_.store(0, std::memory_order_relaxed);
  rests_until_.store((now + kRest).time_since_epoch().count(), std::memory_order_relaxed);
}

void RouteHealth::succeeded(const cache::Digest& target, bool with_manifest) {
  {
    const std::lock_guard lock(mutex_);
    targets_.succeeded(target, with_manifest);
  }
  if (with_manifest && !knows_manifests()) knows_manifests_.store(true, std::memory_order_relaxed);
  if (failures_.load(std::memory_order_relaxed) != 0) failures_.store(0, std::memory_order_relaxed);
}

bool RouteHealth::is_verified(std::string_view schema) const {
  const std::lock_guard lock(mutex_);
  return verified_.contains(schema);
}

void RouteHealth::verified(std::string_view schema) {
  const std::lock_guard lock(mutex_);
  if (verified_.size() == kSchemas) verified_.clear();
  verified_.emplace(schema);
}

}  // namespace tessera::proxy
