// Waiting for what another thread or process will do, without knowing when.
#pragma once

#include <chrono>
#include <thread>

namespace tessera::test {

// Asks again until it is so; false when it is not within 30 s.
template <class Condition>
bool becomes(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace tessera::test
