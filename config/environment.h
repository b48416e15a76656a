// Settings from the environment: TESSERA_REDIS_TTL=5m is [redis] ttl = "5m".
#pragma once

#include <string>
#include <string_view>

#include "config/load.h"
#include "config/source_map.h"

namespace tessera::config {

// "TESSERA_REDIS_TTL"
std::string environment_name(std::string_view section, std::string_view name);

// Reports names that are no setting and values of a wrong type. Routes are set in the file only.
Faults read_environment(const Environment& environment, Settings& settings, SourceMap& sources);

}  // namespace tessera::config
