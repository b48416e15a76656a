// A settings file: TOML 1.0 on top of the defaults. The only user of toml++.
#pragma once

#include <string_view>

#include "config/load.h"
#include "config/source_map.h"

namespace tessera::config {

// Reports syntax, unknown keys and values of a wrong type, each with its line; ranges and clashes are the
// validator's. After a syntax error nothing is set.
Faults read_toml(std::string_view text, std::string_view file_name, Settings& settings, SourceMap& sources);

}  // namespace tessera::config
