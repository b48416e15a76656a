// Clients that ask for the same thing again and again, or all at once, and count what they saw.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/http_request.h"

namespace tessera::loadtest {

// "hit", "fwd=stale": the first parameter of Cache-Status (RFC 9211), what happened; for a bypass its reason,
// too.
std::string outcome_of(const test::Reply& reply);

// What clients saw in a span of time. Not thread-safe.
struct Seen {
  std::size_t responses = 0;
  std::map<std::string, std::size_t> statuses;  // "200", or "no response"
  std::map<std::string, std::size_t> outcomes;  // by Cache-Status
  std::size_t wrong_bodies = 0;                 // 200s whose body is not the expected one
  std::chrono::microseconds longest{0};

  void add(const test::Reply& reply, std::chrono::steady_clock::time_point sent,
           const std::string& expected_body);
  // "1200 responses: 1200 x 200; hit 1180, fwd=miss 20; longest 12.3 ms"
  std::string to_string() const;
};

// Connects `count` times, then sends a GET on every connection at once, calls `when_sent`, and reads the
// answers.
std::vector<test::Reply> get_at_once(const std::string& url, std::size_t count,
                                     const std::function<void()>& when_sent);

// Threads that GET a URL in a closed loop from construction until stop(); a new span is begun with
// next_span().
class Load {
 public:
  Load(std::string url, std::size_t clients, std::string expected_body);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // What has been seen since the last call; answers count in the span in which they end.
  Seen next_span();
  // Waits until `count` more responses have come; false when they have not within `limit`.
  bool wait_for_responses(std::size_t count, std::chrono::milliseconds limit);
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::loadtest
