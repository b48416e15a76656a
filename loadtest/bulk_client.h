// A closed-loop client for large bodies: it reads 256 KB at a time, where wrk reads 8 KB and becomes the
// bottleneck.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::loadtest {

struct BulkOptions {
  std::string url;
  unsigned connections = 16;
  double seconds = 2;
};

struct BulkResult {
  std::uint64_t responses = 0;
  std::uint64_t bytes = 0;  // of bodies
  std::uint64_t errors =
      0;  // other statuses than 200, responses without Content-Length, connections that ended
  double seconds = 0;
};

// One thread, one request at a time on every connection. Throws std::runtime_error when it cannot connect.
BulkResult run_bulk(const BulkOptions& options);

// The same, printed as one line: "RATE requests/s, ...". Exit status 1 when there were errors.
int print_bulk(const BulkOptions& options);

}  // namespace tessera::loadtest
