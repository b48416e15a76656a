#include "http/origin_health.h"

#include <algorithm>

namespace tessera::http {

OriginHealth::State OriginHealth::state(Now now) const {
  if (!healthy_.load(std::memory_order_relaxed)) return State::unhealthy;
  if (now.time_since_epoch().count() >= out_until_.load(std::memory_order_relaxed)) return State::up;
  return rests_.load(std::memory_order_relaxed) ? State::resting : State::ejected;
}

bool OriginHealth::answered() {
  if (failures_.load(std::memory_order_relaxed) == 0) return false;
  if (failures_.exchange(0, std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(mutex_);
  ejections_ = 0;
  return true;
}

unsigned OriginHealth::failed() {
  return failures_.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool OriginHealth::eject(Now now, std::chrono::milliseconds base) {
  const std::lock_guard lock(mutex_);
  if (now.time_since_epoch().count() < out_until_.load(std::memory_order_relaxed)) return false;
  constexpr unsigned kDoublings = 10;
  const auto time = base * (1u << std::min(ejections_, kDoublings));
  ++ejections_;
  const Now until = now + std::min<std::chrono::milliseconds>(time, kLongestEjection);
  rests_.store(false, std::memory_order_relaxed);
  out_until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
  return true;
}

void OriginHealth::rest(Now now, std::chrono::seconds length) {
  const std::lock_guard lock(mutex_);
  const Now until = now + std::min(length, kLongestRest);
  if (until.time_since_epoch().count() <= out_until_.load(std::memory_order_relaxed)) return;
  rests_.store(true, std::memory_order_relaxed);
  out_until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
}

bool OriginHealth::checked(bool good, unsigned healthy_after, unsigned unhealthy_after) {
  const bool healthy = healthy_.load(std::memory_order_relaxed);
  checks_ = good == healthy ? 0 : checks_ + 1;
  if (checks_ == 0 || checks_ < (healthy ? unhealthy_after : healthy_after)) return false;
  checks_ = 0;
  healthy_.store(good, std::memory_order_relaxed);
  return true;
}

const char* to_string(OriginHealth::State state) {
  switch (state) {
    case OriginHealth::State::up:
      return "up";
    case OriginHealth::State::ejected:
      return "ejected";
    case OriginHealth::State::resting:
      return "resting";
    case OriginHealth::State::unhealthy:
      return "unhealthy";
  }
  return "unknown";
}

}  // namespace tessera::http
