// Finds the route of a request.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/access_log.h"
#include "proxy/collection_route.h"
#include "proxy/identity.h"
#include "proxy/path_pattern.h"
#include "proxy/statistics.h"

namespace tessera::proxy {

// Thread-safe after construction; shared by all event loops. Routes are matched in order; what matches none
// takes the pass route.
class Router {
 public:
  // `routes` has null for a route whose cache is "pass". `public_statistics` answers GET /__tessera/stats;
  // empty: the path is the origin's like any other. `log` may be null when the access log is off.
  Router(const config::Settings& settings, std::vector<std::unique_ptr<CollectionRoute>> routes,
         Statistics& statistics, std::shared_ptr<LogSink> log,
         std::function<std::string()> public_statistics);

  // The router outlives the request.
  http::Task<http::Response> handle(http::Request& request, Worker& worker);

  // A request that no route saw has been answered by the server itself.
  void refused(const std::string& peer, int status);

  // In the order of the settings.
  std::vector<std::pair<std::string, config::RouteMode>> modes() const;
  CollectionRoute* find_route(std::string_view name) const;  // null: none of that name, or it is "pass"
  bool set_mode(std::string_view route, config::RouteMode mode);

 private:
  std::size_t find(std::string_view path, PathNames* names) const;
  std::uint64_t body_limit(std::size_t index) const;
  http::Task<http::Response> pass(http::Request& request, Worker& worker, RouteStatistics& statistics,
                                  std::uint64_t body_bytes);

  struct Entry {
    PathPattern pattern;
    std::unique_ptr<CollectionRoute> route;
  };
  const config::Settings& settings_;
  const Identity identity_;
  const AccessLog access_log_;
  std::vector<Entry> entries_;
  Statistics& statistics_;
  std::function<std::string()> public_statistics_;
};

}  // namespace tessera::proxy
