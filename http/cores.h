// How many cores this process may use.
#pragma once

#include <cstddef>
#include <filesystem>

namespace tessera::http {

// Those that it may be scheduled on, or as many as its CPU quota is worth, rounded up: a container's limit,
// or systemd's CPUQuota=. At least 1. The quota is that of control groups, version 2 (Linux,
// Documentation/admin-guide/cgroup-v2.rst, "cpu.max"), the least of the process's own group and of those
// above.
std::size_t available_cores();

// The quota alone, in cores; 0: none. `groups` is where cgroup2 is mounted, `own` the file that names this
// process's group (/proc/self/cgroup).
std::size_t cpu_quota(const std::filesystem::path& groups, const std::filesystem::path& own);

}  // namespace tessera::http
