#include "proxy/reason.h"

namespace tessera::proxy {

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "none";
    case Reason::no_route:
      return "no-route";
    case Reason::method:
      return "method";
    case Reason::switched_off:
      return "switched-off";
    case Reason::request_body:
      return "request-body";
    case Reason::manifest_asked:
      return "manifest-asked";
    case Reason::not_a_manifest:
      return "not-a-manifest";
    case Reason::manifest_failed:
      return "manifest-failed";
    case Reason::route_rests:
      return "route-rests";
    case Reason::version_mismatch:
      return "version-mismatch";
    case Reason::record_missing:
      return "record-missing";
    case Reason::records_failed:
      return "records-failed";
    case Reason::unstable:
      return "unstable";
    case Reason::not_assemblable:
      return "not-assemblable";
    case Reason::envelope_undeclared:
      return "envelope-undeclared";
    case Reason::member_missing:
      return "member-missing";
    case Reason::included_conflict:
      return "included-conflict";
    case Reason::vary_undeclared:
      return "vary-undeclared";
    case Reason::not_a_collection:
      return "not-a-collection";
    case Reason::collection_failed:
      return "collection-failed";
    case Reason::too_large:
      return "too-large";
    case Reason::mismatch:
      return "mismatch";
    case Reason::upgrade:
      return "upgrade";
    case Reason::shutting_down:
      return "shutting-down";
    case Reason::overridden:
      return "overridden";
  }
  return "unknown";
}

}  // namespace tessera::proxy
