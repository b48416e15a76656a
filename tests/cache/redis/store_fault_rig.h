// What the tests of a Redis that fails have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/cache/redis/store_loop.h"
#include "tests/support/fake_redis.h"

namespace tessera::test {

using Command = FakeRedis::Command;
using Answer = FakeRedis::Answer;

inline const Values kNothing{std::nullopt};

// "*1\r\n$5\r\nhello\r\n"
inline std::string one_value(const std::string& value) {
  return "*1\r\n$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

inline std::uint64_t sum_of_faults(const StoreLoop& loop) {
  std::uint64_t sum = 0;
  for (const auto count : loop.health().faults) sum += count;
  return sum;
}

}  // namespace tessera::test
