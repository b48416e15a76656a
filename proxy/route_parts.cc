#include "proxy/route_parts.h"

namespace tessera::proxy {

RouteParts::RouteParts(std::uint32_t number, const config::RouteSettings& route_settings,
                       const config::Settings& all_settings, cache::MemoryCache& memory_cache,
                       cache::Generations& purge_generations, RouteStatistics& route_statistics,
                       std::string process_secret)
    : route(number),
      settings(route_settings),
      all(all_settings),
      shape(route_settings),
      memory(memory_cache),
      generations(purge_generations),
      statistics(route_statistics),
      health(route_settings.mode),
      spaces(route_settings, all_settings.redis, std::move(process_secret)),
      manifests(number, route_settings, all_settings, memory_cache, purge_generations, health,
                route_statistics),
      records(route_settings, all_settings, shape, route_statistics),
      collections(all_settings, route_statistics),
      verifier(route_settings.name, collections, manifests, route_statistics) {}

http::Task<void> RouteParts::drop_everything(Worker& worker) {
  generations.purge_route(route);
  memory.erase_if([this](const cache::MemoryKey&, std::uint32_t of) { return of == route; });
  if (!worker.store.remote()) co_return;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto now = std::chrono::system_clock::now();
  const auto purged = co_await worker.store.remote()->purge(settings.name, std::nullopt, deadline);
  if (!purged) generations.distrust_before(route, now);
}

}  // namespace tessera::proxy
