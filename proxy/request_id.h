// Names for requests: X-Request-Id, and the ids of W3C Trace Context.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/fields.h"

namespace tessera::proxy {

// What is taken over from a peer: 1 to 128 of [A-Za-z0-9._-]. Nothing of it needs escaping anywhere.
bool is_request_id(std::string_view text);

// Makes names that no other event loop or process makes, as far as 74 random bits go; no system call but for
// its seed. Belongs to one event loop.
class RequestIds {
 public:
  RequestIds();

  // 15 of [0-9a-v]: as many as std::string holds without an allocation.
  std::string next();
  // Uniformly distributed, never 0.
  std::uint64_t random();

 private:
  std::uint64_t state_;
  const std::uint64_t salt_;
};

// W3C Trace Context (version 00). A valid traceparent of the request gets a parent id of our own, so that the
// origin's spans hang below this request; tracestate goes with it. An invalid one is removed, and so is
// tracestate (4.3: the trace is restarted). With `begin` a request that has none then gets one, not sampled.
void continue_trace(http::Fields& fields, RequestIds& ids, bool begin);

}  // namespace tessera::proxy
