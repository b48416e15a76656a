// File descriptors: what the settings need, and what the process may have.
#pragma once

#include <cstddef>

#include "config/settings.h"

namespace tessera::proxy {

// Raises the process's limit of open files (RLIMIT_NOFILE) as far as it may. Returns the new limit.
std::size_t raise_descriptor_limit();

// How many connections of operators the admin listener has at most, whatever clients take.
inline constexpr std::size_t kAdminConnections = 64;

// How many connections of clients each listener may have: `limit` descriptors suffice for them,
// for as many to the origin (or what origin.max_requests leaves of them), and for what the listeners, the
// idle pools, Redis and the program itself need: limits.connections, or fewer. At least 1.
std::size_t affordable_connections(const config::Settings& settings, std::size_t loops, std::size_t limit);

}  // namespace tessera::proxy
