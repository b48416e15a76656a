// What the history check is asked to do.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::loadtest {

struct ConsistencyOptions {
  std::size_t reads = 10'000;
  unsigned courses = 40;
  unsigned slides = 5;
  unsigned readers = 4;
  unsigned writers = 2;
  std::uint64_t seed = 0;           // 0: a random one, printed
  bool redis_chaos = false;         // Redis is killed and restarted, and frozen and thawed, during the run
  unsigned chaos_period_ms = 700;   // between two such events
  unsigned write_pause_us = 4'000;  // a writer waits up to this long after each write
  std::string l1 = "256MiB";        // of the first proxy
  std::string second_l1 = "0";      // of the second one
};

// Exit status: 0 no violation, 1 violations, 2 the check could not be made.
int run_consistency(const ConsistencyOptions& options);

}  // namespace tessera::loadtest
