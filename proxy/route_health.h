// Whether a route's cached path is to be tried at all.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "proxy/reason.h"

namespace tessera::proxy {

// Thread-safe; time is given by the caller.
class RouteHealth {
 public:
  using Now = std::chrono::steady_clock::time_point;
  static constexpr unsigned kFailuresInARow = 5;
  static constexpr std::chrono::seconds kRest{5};

  explicit RouteHealth(config::RouteMode mode) : mode_(mode) {}

  // Reason::none when the cached path is open.
  Reason closed(Now now) const;

  config::RouteMode mode() const { return mode_.load(std::memory_order_relaxed); }
  void set_mode(config::RouteMode mode);  // also forgets a mismatch

  // The cached path did not work although the origin answered; several times in a row, and the route rests for a while.
  void failed(Now now);
  void succeeded();

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
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> verified_;
};

}  // namespace tessera::proxy
