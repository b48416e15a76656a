// What of the settings a running process can change. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace tessera::proxy {

// A sentence for each setting that differs and needs a restart: where the process listens, how many event
// loops it has, and how much memory.
std::vector<std::string> needs_restart(const config::Settings& running, const config::Settings& wanted);

}  // namespace tessera::proxy
