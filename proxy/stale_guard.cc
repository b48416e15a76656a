#include "proxy/stale_guard.h"

#include <algorithm>

namespace tessera::proxy {
namespace {

constexpr std::size_t kCallers = 10'000;
constexpr std::chrono::seconds kLongest{30};
constexpr std::chrono::seconds kLongestAsked{300};  // by Retry-After, whatever it says

}  // namespace

bool StaleGuard::may_try(const cache::Digest& caller, Now now) {
  const std::lock_guard lock(mutex_);
  const auto at = states_.find(std::string(caller.view()));
  if (at == states_.end()) return true;
  if (now < at->second.next) return false;
  at->second.next = now + at->second.delay;
  at->second.tried = true;
  return true;
}

void StaleGuard::failed(const cache::Digest& caller, Now now,
                        std::optional<std::chrono::seconds> retry_after) {
  const std::lock_guard lock(mutex_);
  // Callers are the clients' to invent: past the bound everybody starts over, which costs tries and nothing
  // else.
  if (states_.size() >= kCallers) states_.clear();
  const auto [at, fresh] = states_.try_emplace(std::string(caller.view()));
  // Many may have waited for one failed fetch.
  if (!fresh && now < at->second.next && !at->second.tried) return;
  if (!fresh) at->second.delay = std::min(at->second.delay * 2, kLongest);
  at->second.tried = false;
  const auto asked = std::min(retry_after.value_or(std::chrono::seconds(0)), kLongestAsked);
  at->second.next = now + std::max(at->second.delay, asked);
}

void StaleGuard::succeeded(const cache::Digest& caller) {
  const std::lock_guard lock(mutex_);
  if (!states_.empty()) states_.erase(std::string(caller.view()));
}

}  // namespace tessera::proxy
