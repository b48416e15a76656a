// What /stats and /metrics call the kinds of objects in the memory tier.
#pragma once

#include <string_view>

#include "cache/memory_cache.h"

namespace tessera::proxy {

inline std::string_view kind_name(cache::Kind kind) {
  switch (kind) {
    case cache::Kind::fragment:
      return "fragments";
    case cache::Kind::snapshot:
      return "snapshots";
    case cache::Kind::manifest:
      return "manifests";
    case cache::Kind::envelope:
      return "envelopes";
  }
  return "unknown";
}

}  // namespace tessera::proxy
