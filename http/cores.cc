#include "http/cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

namespace tessera::http {
namespace {

namespace fs = std::filesystem;

// "0::/system.slice/tessera.service"; version 1 has other numbers. Empty: not found.
fs::path group_in(const fs::path& own) {
  std::ifstream lines(own);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0::/")) return fs::path(line.substr(4));
  }
  return {};
}

// "200000 100000", or "max 100000"; nobody has the file at the root of all groups. 0: no quota.
std::size_t quota_of(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return static_cast<std::size_t>(std::ceil(std::min(quota / period, 1e6)));
}

}  // namespace

// In a container without a name space of its own the group is the host's name for it, of which only the root
// is there.
std::size_t cpu_quota(const fs::path& groups, const fs::path& own) {
  std::size_t least = 0;
  for (fs::path group = group_in(own);; group = group.parent_path()) {
    const auto quota = quota_of(groups / group);
    if (quota != 0 && (least == 0 || quota < least)) least = quota;
    if (group.empty()) return least;
  }
}

std::size_t available_cores() {
  const std::size_t all = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t quota = cpu_quota("/sys/fs/cgroup", "/proc/self/cgroup");
  return quota == 0 ? all : std::min(all, quota);
}

}  // namespace tessera::http
