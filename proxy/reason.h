// Why a request was passed to the origin uncached. The same words stand in /stats, /metrics, Cache-Status and
// the log.
#pragma once

#include <cstddef>

namespace tessera::proxy {

enum class Reason : unsigned char {
  none,                 // answered from the cached path
  no_route,             // no route matches, or the route's cache is "pass"
  method,               // neither GET nor HEAD
  switched_off,         // the route's mode is "pass"
  request_body,         // a GET with a body
  manifest_asked,       // the client asks for the manifest itself
  not_a_manifest,       // the origin answered the manifest request with something else
  manifest_failed,      // the manifest had no answer, a 5xx or was too large
  route_rests,          // the manifest failed several times in a row; the route passes for a while
  version_mismatch,     // the record's own version went on differing from the manifest's
  record_missing,       // a listed record was not in the records response
  records_failed,       // the records request had no answer, or an error
  unstable,             // the records changed faster than they could be fetched
  not_assemblable,      // slices put together again do not give the document
  envelope_undeclared,  // a member of the envelope is neither supplied nor declared constant
  member_missing,       // the manifest does not supply a member that the envelope has
  included_conflict,    // records go on disagreeing about an included resource
  vary_undeclared,      // Vary names a field that the route does not carry, or `*`
  not_a_collection,     // the collection response is not what the route describes
  collection_failed,    // the collection request had no answer, or an error
  too_large,            // a response larger than the limits
  mismatch,             // verification found a wrong answer; the route passes until it is reset
  upgrade,              // the client offers another protocol (WebSocket)
  shutting_down,        // the fetch it waited for ended with the process
  overridden,           // a trusted proxy asks for another target or method in a field
};
inline constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::overridden) + 1;

// "record-missing"
const char* to_string(Reason reason);

}  // namespace tessera::proxy
