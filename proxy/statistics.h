// Counters of everything the proxy does, for each route and in all.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/message.h"
#include "proxy/histogram.h"
#include "proxy/reason.h"

namespace tessera::proxy {

// How a response came about, as seen by the client.
enum class Outcome : unsigned char {
  hit,       // the snapshot that was there, or records all found in the tiers
  fill,      // assembled, with records or the whole collection fetched from the origin
  stale,     // stale-if-error
  relayed,   // the origin's own answer to the manifest (401, 403, 404, redirects ...)
  passed,    // the pass route, or passed on for a Reason
  failed,    // 5xx of our own
  departed,  // the client left before it was answered
};
inline constexpr std::size_t kOutcomes = static_cast<std::size_t>(Outcome::departed) + 1;
const char* to_string(Outcome outcome);

using Counter = std::atomic<std::uint64_t>;

inline void count(Counter& counter, std::uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

// Relaxed atomics, written by all event loops, read by the admin listener.
struct RouteStatistics {
  std::string name;  // "(pass)" for what matches no route

  Counter requests{0};
  std::array<Counter, kOutcomes> outcomes{};
  std::array<Counter, kReasons> passed{};   // by reason
  std::array<Counter, 6> status_classes{};  // index status / 100; 0: none
  Counter not_modified{0};                  // 304s answered to clients
  Counter coalesced_manifests{0};           // requests that shared another's manifest fetch
  Counter coalesced_assemblies{0};          // requests that shared another's assembly
  Counter coalesced_records{0};             // records that another fetch in flight brought

  Counter records_snapshot{0};  // record lookups, by where they were found
  Counter records_memory{0};
  Counter records_remote{0};
  Counter records_origin{0};

  Counter origin_manifest{0};  // origin requests caused
  Counter origin_manifest_304{0};
  Counter origin_check{0};  // the manifest once more after a fill
  Counter origin_records{0};
  Counter origin_collection{0};
  Counter origin_verify{0};
  Counter origin_pass{0};

  Counter bytes_cache{0};   // body bytes sent from snapshots
  Counter bytes_origin{0};  // body bytes received from the origin
  Counter bytes_sent{0};    // body bytes sent to clients

  Counter version_missing{0};  // records fetched because they have no usable version
  Counter racy{0};             // records served but not kept, because their version is racy
  Counter corrupt_values{0};   // L2 values that did not read back
  Counter verified{0};
  Counter mismatches{0};
  Counter stored_fragments{0};
  Counter purged_in_flight{0};  // results not stored because a purge came meanwhile

  Histogram cached_latency;    // request head read -> response handed over
  Histogram uncached_latency;  // the same, of passed requests and fills

  // What is counted once for each response, when it has been sent.
  void sent(Outcome outcome, const http::Sent& sent);
  // Adds all counts and both histograms to `other` (for totals over routes).
  void add_to(RouteStatistics& other) const;
};

class Statistics {
 public:
  // With `before` the counts of routes of the same name go on.
  explicit Statistics(const std::vector<std::string>& routes, const Statistics* before = nullptr);

  RouteStatistics& route(std::size_t index) { return *routes_[index]; }  // index == routes: the pass route
  const std::vector<std::shared_ptr<RouteStatistics>>& routes() const { return routes_; }
  std::chrono::steady_clock::time_point started() const { return started_; }
  Counter& refused() const { return *refused_; }  // requests that were answered before any route saw them

 private:
  std::vector<std::shared_ptr<RouteStatistics>> routes_;
  std::chrono::steady_clock::time_point started_;
  std::shared_ptr<Counter> refused_;
};

}  // namespace tessera::proxy
