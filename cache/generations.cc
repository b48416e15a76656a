// Invariants: a route's generation only grows; every purge of anything wider than a record raises it. A
// record's entry holds the record generation that its purge was given, so a token taken before is older than
// it.
#include "cache/generations.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

namespace tessera::cache {
namespace {

// Past this many purged ids of one route the whole route is raised and the ids are forgotten.
constexpr std::size_t kRecordBound = 4096;

struct TextHash : boost::hash<std::string_view> {
  using is_transparent = void;
};

struct Route {
  mutable std::mutex mutex;
  std::uint64_t generation = 0;
  std::uint64_t record_generation = 0;
  boost::unordered_flat_map<std::string, std::uint64_t, TextHash, std::equal_to<>> records;
  std::chrono::system_clock::time_point distrusted_before{};

  void raise() {
    const std::lock_guard lock(mutex);
    ++generation;
    records.clear();
  }
};

}  // namespace

struct Generations::Impl {
  explicit Impl(std::size_t count) : routes(count) {}
  std::vector<Route> routes;
};

Generations::Generations(std::size_t routes) : impl_(std::make_unique<Impl>(routes)) {}

Generations::~Generations() = default;

void Generations::purge_everything() {
  for (Route& route : impl_->routes) route.raise();
}

void Generations::purge_route(std::uint32_t route) {
  impl_->routes.at(route).raise();
}

void Generations::purge_record(std::uint32_t route, std::string_view id) {
  Route& purged = impl_->routes.at(route);
  const std::lock_guard lock(purged.mutex);
  const std::uint64_t generation = ++purged.record_generation;
  if (const auto found = purged.records.find(id); found != purged.records.end()) {
    found->second = generation;
    return;
  }
  if (purged.records.size() >= kRecordBound) {
    ++purged.generation;
    purged.records.clear();
    return;
  }
  purged.records.emplace(std::string(id), generation);
}

void Generations::distrust_before(std::optional<std::uint32_t> route,
                                  std::chrono::system_clock::time_point time) {
  for (std::size_t i = 0; i < impl_->routes.size(); ++i) {
    if (route && *route != i) continue;
    Route& distrusted = impl_->routes[i];
    const std::lock_guard lock(distrusted.mutex);
    distrusted.distrusted_before = std::max(distrusted.distrusted_before, time);
  }
}

std::chrono::system_clock::time_point Generations::distrusted_before(std::uint32_t route) const {
  const Route& asked = impl_->routes.at(route);
  const std::lock_guard lock(asked.mutex);
  return asked.distrusted_before;
}

Generations::Token Generations::take(std::uint32_t route) const {
  const Route& taken = impl_->routes.at(route);
  const std::lock_guard lock(taken.mutex);
  return {route, taken.generation, taken.record_generation};
}

bool Generations::route_is_current(const Token& token) const {
  const Route& route = impl_->routes.at(token.route);
  const std::lock_guard lock(route.mutex);
  return route.generation == token.route_generation;
}

bool Generations::is_current(const Token& token, std::string_view id) const {
  const Route& route = impl_->routes.at(token.route);
  const std::lock_guard lock(route.mutex);
  if (route.generation != token.route_generation) return false;
  if (route.record_generation == token.record_generation) return true;
  const auto found = route.records.find(id);
  return found == route.records.end() || found->second <= token.record_generation;
}

bool Generations::nothing_purged_since(const Token& token) const {
  const Route& route = impl_->routes.at(token.route);
  const std::lock_guard lock(route.mutex);
  return route.generation == token.route_generation && route.record_generation == token.record_generation;
}

}  // namespace tessera::cache
