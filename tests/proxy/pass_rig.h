// A proxy that is nothing but the pass route, on an event loop of its own, for tests that talk to it over
// sockets.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "http/event_loops.h"
#include "http/server.h"
#include "proxy/pass_route.h"

namespace tessera::test {

// `origin` is a URL. Requests are answered by proxy::pass with these options and this status.
class PassRig {
 public:
  explicit PassRig(std::string_view origin, proxy::PassOptions options = {}, proxy::CacheStatus status = {},
                   http::UpstreamOptions upstream = {});
  ~PassRig();
  PassRig(const PassRig&) = delete;
  PassRig& operator=(const PassRig&) = delete;

  std::string url(std::string_view target = "") const;
  // Waits until so many responses have been counted, and returns the counters; a test that waits in vain
  // fails on them.
  const proxy::RouteStatistics& counted(std::size_t responses);

 private:
  http::Task<http::Response> handle(http::Request& request);

  http::EventLoops loops_{1};
  proxy::RouteStatistics statistics_;
  const proxy::PassOptions options_;
  const proxy::CacheStatus status_;
  http::Upstream origin_;
  http::Server server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t sent_ = 0;
  std::thread thread_;  // runs the loop; the last member, so that everything else is there
};

}  // namespace tessera::test
