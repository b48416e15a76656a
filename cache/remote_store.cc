#include "cache/remote_store.h"

namespace tessera::cache {

const char* to_string(RemoteFault fault) {
  switch (fault) {
    case RemoteFault::none:
      return "none";
    case RemoteFault::unavailable:
      return "unavailable";
    case RemoteFault::timeout:
      return "timeout";
    case RemoteFault::disconnected:
      return "disconnected";
    case RemoteFault::loading:
      return "loading";
    case RemoteFault::readonly:
      return "readonly";
    case RemoteFault::oom:
      return "oom";
    case RemoteFault::misconfigured:
      return "misconfigured";
    case RemoteFault::moved:
      return "moved";
    case RemoteFault::nonsense:
      return "nonsense";
  }
  return "unknown";
}

}  // namespace tessera::cache
