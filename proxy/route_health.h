// Whether a route's cached path is to be tried at all.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cache/digest.h"
#include "config/settings.h"
#include "proxy/reason.h"
#include "proxy/target_health.h"

namespace tessera::proxy {

// Thread-safe; time is given by the caller.
class RouteHealth {
 public:
  using Now = std::chrono::steady_clock::time_point;
  static constexpr unsigned kFailuresInARow = TargetHealth::kFailuresInARow;
  static constexpr std::chrono::seconds kRest = TargetHealth::kRest;

  explicit RouteHealth(config::RouteMode mode) : mode_(mode) {}

  // Reason::none when the cached path is open to requests for this target.
  Reason closed(const cache::Digest& target, Now now) const;

  config::RouteMode mode() const { return mode_.load(std::memory_order_relaxed); }
  void set_mode(config::RouteMode mode);  // also forgets a mismatch
  // Everything that was learned and switched of the same route under settings that read alike.
  void take_over(const RouteHealth& before);

  // The cached path did not work although the origin answered; several times in a row, and the target rests
  // for a while. So does the route when several targets begin to fail in a row that have given manifests, or
  // any when none ever has: clients choose targets, and must not close the route to others by ones that never
  // work.
  void failed(const cache::Digest& target, Now now);
  void succeeded(const cache::Digest& target, bool with_manifest);

  // A manifest has been given on this route since the start.
  bool knows_manifests() const { return knows_manifests_.load(std::memory_order_relaxed); }

  // A collection that could not be kept, and why: requests of its key space are passed on for a while instead
  // of trying again.
  void rest(const cache::Digest& space, Reason reason, const std::string& detail, Now now);
  Reason resting(const cache::Digest& space, Now now, std::string* detail) const;

  // Verification found a wrong answer: the route passes until set_mode.
  void mismatched() { mismatch_.store(true, std::memory_order_relaxed); }

  // The schemas under which an answer assembled from records has been verified since the start.
  bool is_verified(std::string_view schema) const;
  void verified(std::string_view schema);

 private:
  std::atomic<config::RouteMode> mode_;
  std::atomic<bool> mismatch_{false};
  std::atomic<unsigned> failures_{0};
  std::atomic<Now::rep> rests_until_{0};
  std::atomic<bool> knows_manifests_{false};
  struct Rest {
    Reason reason;
    std::string detail;
    Now until;
  };
  mutable std::mutex mutex_;  // protects what follows
  TargetHealth targets_;
  std::unordered_map<std::string, Rest> resting_;  // by key space
  std::set<std::string, std::less<>> verified_;
};

}  // namespace tessera::proxy
