#include "proxy/descriptors.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sys/resource.h>

namespace tessera::proxy {
namespace {

constexpr std::size_t kOfLoop = 8;  // epoll, timer, eventfd, listeners (a successor's too), and a spare one
constexpr std::size_t kOfProgram = 32;  // standard streams, signals, files that are read

// What connections to the origin take at most beside those of clients; nullopt: as many as there are clients.
std::optional<std::size_t> of_origin(const config::OriginSettings& settings, std::size_t loops) {
  if (settings.max_requests == 0) return std::nullopt;
  return loops * (std::size_t{settings.max_requests} + settings.url.size() * settings.max_idle);
}

}  // namespace

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (limit.rlim_cur != limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<std::size_t>::max();
  return limit.rlim_cur;
}

std::size_t affordable_connections(const config::Settings& settings, std::size_t loops, std::size_t limit) {
  const std::size_t redis = settings.redis.address.empty() ? 0 : settings.redis.max_connections;
  const std::size_t fixed = kOfProgram + kAdminConnections + loops * (kOfLoop + redis);
  const std::size_t listeners = settings.tls.address.empty() ? 1 : 2;
  const std::size_t wanted = settings.limits.connections;
  const std::size_t left = limit > fixed ? limit - fixed : 0;
  // Idle connections to the origin come out of the same share: those in use are not idle.
  std::size_t clients = left / 2;
  const auto origin = of_origin(settings.origin, loops);
  if (origin && *origin < clients) clients = left - *origin;
  return std::max<std::size_t>(1, std::min(wanted, clients / listeners));
}

}  // namespace tessera::proxy
