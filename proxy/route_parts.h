// The collaborators of one collection route, shared by all its requests on all event loops.
#pragma once

#include <string>

#include "cache/generations.h"
#include "cache/memory_cache.h"
#include "proxy/collection_client.h"
#include "proxy/key_spaces.h"
#include "proxy/manifest_client.h"
#include "proxy/record_client.h"
#include "proxy/record_flights.h"
#include "proxy/route_health.h"
#include "proxy/verifier.h"

namespace tessera::proxy {

// Every part is thread-safe or keeps no state. References outlive the object.
struct RouteParts {
  RouteParts(std::uint32_t number, const config::RouteSettings& route_settings,
             const config::Settings& all_settings, cache::MemoryCache& memory_cache,
             cache::Generations& purge_generations, RouteStatistics& route_statistics,
             std::string process_secret);

  // Purges the route from both tiers; what is in flight is kept nowhere.
  http::Task<void> drop_everything(Worker& worker);

  const std::uint32_t route;
  const config::RouteSettings& settings;
  const config::Settings& all;
  const RouteShape shape;
  cache::MemoryCache& memory;
  cache::Generations& generations;
  RouteStatistics& statistics;
  RouteHealth health;
  KeySpaces spaces;
  ManifestClient manifests;
  RecordClient records;
  CollectionClient collections;
  RecordFlights record_flights;
  Verifier verifier;
};

}  // namespace tessera::proxy
