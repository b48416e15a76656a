// Keeps a sick origin from being asked by every request while stale answers are served.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "cache/digest.h"

namespace tessera::proxy {

// By caller; thread-safe; time is given by the caller. Remembers failures only.
class StaleGuard {
 public:
  using Now = std::chrono::steady_clock::time_point;

  // True when the origin may be tried now; the next try is then a second away (doubling to 30 s) unless
  // succeeded() comes.
  bool may_try(const cache::Digest& caller, Now now);
  void failed(const cache::Digest& caller, Now now, std::optional<std::chrono::seconds> retry_after);
  void succeeded(const cache::Digest& caller);

 private:
  struct State {
    Now next;
    std::chrono::seconds delay{1};
    bool tried = false;  // a try is out: its failure doubles the delay
  };
  std::mutex mutex_;
  std::unordered_map<std::string, State> states_;
};

}  // namespace tessera::proxy
