// Many connections that do nothing, or next to nothing.
#pragma once

#include <string>

namespace tessera::loadtest {

struct CrowdOptions {
  unsigned idle = 10'000;  // connections that wait for nothing after one request
  unsigned slow = 1'000;   // connections that never finish their request's head
  double seconds = 2;      // of each measurement of other clients
};

// Prints what an idle connection costs in memory. Returns 1 when one of them was refused or cut.
int run_idle(const CrowdOptions& options);

// Prints the p99 of other clients with and without `slow` connections that send a byte of their head now and
// then, in turns in one run. Returns 1 when it is more than twice as long with them, or a request failed.
int run_slow(const CrowdOptions& options);

}  // namespace tessera::loadtest
