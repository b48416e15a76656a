// What the origin has done since it started, for tests and demonstrations: GET /__origin/stats.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::origin {

enum class Counter : std::uint8_t {
  requests,                 // all but those for these statistics
  manifest_requests,        // that asked for a manifest, answered in full or not
  manifest_not_modified,    // of these: answered by 304
  collection_requests,      // that asked for a collection without ids=
  collection_not_modified,  // of these and of the next: answered by 304
  records_requests,         // that asked for a collection with ids=
  record_requests,          // that asked for one course in a rendering
  courses_rendered,         // courses written into answers to the three above
  courses_rendered_by_ids,  // of these: in answers to records_requests
  articles_decoded,         // articles written into answers, all kinds together
  writes,                   // transactions committed
};

inline constexpr std::size_t kCounters = static_cast<std::size_t>(Counter::writes) + 1;

// Counters only grow; whoever wants to know about a span of time takes the difference. Thread-safe.
class Statistics {
 public:
  void add(Counter counter, std::uint64_t amount = 1) {
    values_[static_cast<std::size_t>(counter)].fetch_add(amount, std::memory_order_relaxed);
  }
  std::uint64_t value(Counter counter) const {
    return values_[static_cast<std::size_t>(counter)].load(std::memory_order_relaxed);
  }
  std::string to_json() const;  // one object, a member for each counter

 private:
  std::array<std::atomic<std::uint64_t>, kCounters> values_{};
};

}  // namespace tessera::origin
