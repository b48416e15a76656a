// What all event loops know of the origins, and count of them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/system/error_code.hpp>

#include "http/origin.h"
#include "http/origin_health.h"

namespace tessera::http {

// Why a request had no response.
enum class OriginFault : unsigned char {
  connect,    // no connection could be opened
  timeout,    // the head of the response did not come in time
  closed,     // the connection closed before it had come
  malformed,  // what came is no HTTP/1 response that we accept
};
inline constexpr std::size_t kOriginFaults = static_cast<std::size_t>(OriginFault::malformed) + 1;
const char* to_string(OriginFault fault);

struct OriginCounts {
  std::uint64_t requests = 0;  // sent, or meant to be
  std::array<std::uint64_t, kOriginFaults> faults{};
  std::uint64_t connections_opened = 0;
  std::uint64_t connections_reused = 0;  // requests on a connection that had been kept
  std::uint64_t connections_open = 0;    // now, the idle ones among them
  std::uint64_t connections_idle = 0;    // now
};

// Of one origin. Counted by each event loop for itself, on its own cache lines; health is everybody's.
class OriginStatus {
 public:
  // What announces itself writes to the log when requests begin to fail, and when they succeed again.
  OriginStatus(std::string name, std::size_t loops, bool announces);

  // Written by one event loop, read by all.
  struct alignas(64) Counters {
    using Counter = std::atomic<std::uint64_t>;
    Counter requests{0};
    std::array<Counter, kOriginFaults> faults{};
    Counter connections_opened{0};
    Counter connections_reused{0};
    Counter connections_closed{0};
    Counter connections_idle{0};
  };
  static void add(Counters::Counter& counter, std::uint64_t by = 1) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  Counters& of_loop(std::size_t loop) { return counters_[loop]; }
  OriginCounts counts() const;  // of all loops

  const std::string& name() const { return name_; }
  const OriginHealth& health() const { return health_; }
  OriginHealth& health() { return health_; }

  void answered();  // a response came
  // Counts it, unless the error is not the origin's fault (cancelled). The number of failures in a row of all
  // loops, this one included; 0: it is none.
  unsigned failed(std::size_t loop, const boost::system::error_code& error);
  // A kept connection was closed just as a request went out on it. Counted as a fault, but an origin that
  // keeps connections for a short time only is not sick: no failure in a row.
  void closed_kept(std::size_t loop) {
    add(of_loop(loop).faults[static_cast<std::size_t>(OriginFault::closed)]);
  }
  void ejected() { ejections_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t ejections() const { return ejections_.load(std::memory_order_relaxed); }

 private:
  bool may_log();  // once a second

  const std::string name_;
  const bool announces_;
  std::vector<Counters> counters_;  // by event loop
  OriginHealth health_;
  std::atomic<std::uint64_t> ejections_{0};
  std::atomic<std::chrono::steady_clock::rep> logged_{0};
};

// The origins that a proxy balances between; outlives its event loops' objects.
struct OriginGroup {
  static constexpr std::size_t kMost = 64;
  // REQUIRED: one to kMost origins.
  OriginGroup(std::vector<Origin> origins, std::size_t loops);

  struct Member {
    Origin origin;
    std::shared_ptr<OriginStatus> status;
  };
  const std::vector<Member> members;
  std::atomic<std::uint64_t> overloads{0};  // requests refused because too many were out
};

}  // namespace tessera::http
