// How long to wait before the next attempt to connect. Pure.
#pragma once

#include <algorithm>
#include <chrono>

namespace tessera::cache::redis {

// The first attempt comes at once, then after 100 ms, doubling to 2 s. Only an exchange that went well starts
// over: a server that accepts and then fails is not asked more often than one that refuses.
class Backoff {
 public:
  static constexpr std::chrono::milliseconds kFirst{100};
  static constexpr std::chrono::milliseconds kLongest{2'000};

  std::chrono::milliseconds next() {
    const auto wait = next_;
    next_ = std::clamp(next_ * 2, kFirst, kLongest);
    return wait;
  }
  void reset() { next_ = std::chrono::milliseconds{0}; }

 private:
  std::chrono::milliseconds next_{0};
};

}  // namespace tessera::cache::redis
