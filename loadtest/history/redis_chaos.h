// A private Redis that is killed, restarted, frozen and thawed in turn.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "tests/support/redis_server.h"

namespace tessera::loadtest {

class RedisChaos {
 public:
  std::string address() const { return redis_.unix_address(); }
  // Until `stop`: `period_ms` of peace, an event, and so on. Call it on the thread that made the object.
  void run(unsigned period_ms, const std::atomic<bool>& stop);

  std::size_t kills() const { return kills_; }
  std::size_t freezes() const { return freezes_; }

 private:
  test::RedisServer redis_;
  std::size_t kills_ = 0;
  std::size_t freezes_ = 0;
};

}  // namespace tessera::loadtest
