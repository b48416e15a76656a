// A counter that a snapshot's hits advance, so that its fragments count as used without being visited.
#pragma once

#include <atomic>
#include <cstdint>

namespace tessera::cache {

class UseMark {
 public:
  void touch() { uses_.fetch_add(1, std::memory_order_relaxed); }
  std::uint32_t uses() const { return uses_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> uses_{0};
};

}  // namespace tessera::cache
