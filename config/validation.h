// What is wrong with settings that could be read. Pure.
#pragma once

#include "config/load.h"
#include "config/source_map.h"

namespace tessera::config {

// Each setting by itself: ranges, words, syntax, missing ones.
Faults check_fields(const Settings& settings, const SourceMap& sources);

// Settings that contradict each other; looks only at those that are fine by themselves.
Faults check_clashes(const Settings& settings, const SourceMap& sources);

}  // namespace tessera::config
