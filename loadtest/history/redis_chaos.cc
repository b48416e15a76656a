#include "loadtest/history/redis_chaos.h"

#include <chrono>
#include <thread>

namespace tessera::loadtest {
namespace {

// Waits in small steps, so that the end of the run is not held up.
void rest(unsigned milliseconds, const std::atomic<bool>& stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!stop && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

void RedisChaos::run(unsigned period_ms, const std::atomic<bool>& stop) {
  for (bool kill = true; !stop; kill = !kill) {
    rest(period_ms, stop);
    if (stop) return;
    if (kill) {
      ++kills_;
      redis_.kill();
      rest(period_ms / 4, stop);
      redis_.restart();
    } else {
      ++freezes_;
      redis_.freeze();
      rest(period_ms / 4, stop);
      redis_.thaw();
    }
  }
}

}  // namespace tessera::loadtest
