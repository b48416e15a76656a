// The Cache-Status field (RFC 9211): what the proxy did with this request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "http/fields.h"
#include "proxy/reason.h"

namespace tessera::proxy {

struct CacheStatus {
  enum class Forward : unsigned char {
    none,      // hit
    bypass,    // fwd=bypass: passed on, see reason
    method,    // fwd=method
    uri_miss,  // fwd=uri-miss: nothing of it was known
    stale,     // fwd=stale: some of it was
  };
  Forward forward = Forward::none;
  bool collapsed = false;  // shared another request's fetch
  bool stored = false;
  std::optional<int> forward_status;  // fwd-status: of the origin's answer
  std::optional<std::int64_t> ttl;    // seconds; negative when stale
  Reason reason = Reason::none;       // detail=<reason>
  bool stale_if_error = false;        // detail=stale-if-error
  bool has_counts = false;            // detail="snapshot=998 l1=1 l2=0 origin=1"
  std::uint64_t from_snapshot = 0;
  std::uint64_t from_memory = 0;
  std::uint64_t from_remote = 0;
  std::uint64_t from_origin = 0;
};

// "tessera; hit", `tessera; fwd=stale; stored; detail="snapshot=998 l1=1 l2=0 origin=1"`, "tessera;
// fwd=bypass; detail=not-a-manifest".
std::string to_string(const CacheStatus& status);

// Puts our status behind those that caches nearer to the origin wrote (RFC 9211 2): one list.
void add_cache_status(http::Fields& fields, const CacheStatus& status);

}  // namespace tessera::proxy
