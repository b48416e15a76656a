// The plain, streaming reverse proxy: the request goes to the origin as it is, the response comes back as it
// is.
#pragma once

#include "http/message.h"
#include "http/upstream.h"
#include "proxy/cache_status.h"
#include "proxy/statistics.h"

namespace tessera::proxy {

struct PassOptions {
  std::chrono::milliseconds response_timeout{60'000};  // until the head of the response has come
  std::chrono::milliseconds progress_timeout{30'000};  // longest pause within its body
  std::uint64_t body_bytes = 0;                        // largest request body: 413; 0: any
  bool cache_status = true;
};

// Streams both bodies with bounded memory. An origin that cannot be reached is a 502, one that does not
// answer in time a 504, and what would be one request too many a 503 with Retry-After, each as problem+json;
// a request body that the client does not finish is a 400 or 408. PURGE and BAN are answered 405 and CONNECT
// 501: they are never forwarded; TRACE as max_forwards.h says. A 101 joins the client's connection to the
// origin's (Response::upgraded). Only the reason of `status` is asked for, the rest is found here. Counts
// outcome, reason, bytes, latency (uncached) and status in `statistics` when the response has been sent;
// answers of our own but 5xx count as passed. `requests` is the caller's to count. The request outlives the
// coroutine, the statistics outlive the response.
http::Task<http::Response> pass(http::Request& request, http::Upstream& origin, const PassOptions& options,
                                CacheStatus status, RouteStatistics& statistics);

}  // namespace tessera::proxy
