// What one reading of the settings brings about: the routes and all they are made of. A reload makes another
// one; requests that run keep theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cache/generations.h"
#include "cache/memory_cache.h"
#include "config/settings.h"
#include "http/upstream.h"
#include "proxy/admin.h"
#include "proxy/log_sink.h"
#include "proxy/router.h"
#include "proxy/statistics.h"
#include "proxy/workers.h"

namespace tessera::proxy {

// What the process keeps, whatever settings come and go.
struct Lasting {
  // How many names routes may have had since the start, beside those of the start.
  static constexpr std::size_t kFurtherRoutes = 1'024;

  explicit Lasting(const config::Settings& settings);

  // The number of a route in `memory` and `generations`: its name's, for good. Throws std::runtime_error when
  // there are no more.
  std::uint32_t number_of(const std::string& route);

  // Has every file that is open opened anew.
  void reopen_logs() const;
  // The sink of that file: one that is open already, or a new one. A sink stays open, since closing one waits
  // for its reader. Throws std::runtime_error when the file cannot be opened.
  std::shared_ptr<LogSink> log_at(const std::string& file);

  cache::MemoryCache memory;
  cache::Generations generations;
  Workers workers;
  const std::string secret;  // keys the HMAC of credentials where none is configured
  const std::shared_ptr<LogCounts> log_counts = std::make_shared<LogCounts>();

 private:
  const std::size_t numbers_;
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<LogSink>> logs_;
};

// Shared by all event loops; immutable but for the states of its routes. `lasting` outlives it.
class Generation {
 public:
  // Throws std::runtime_error with a sentence when the settings cannot be put to work: an access log that
  // cannot be opened. What `before` has learned of routes and origins that stay as they were, and its counts,
  // go on. `loops`: how many event loops there are.
  Generation(config::Settings settings, std::size_t loops, Lasting& lasting, const Generation* before);
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  const config::Settings& settings() const { return settings_; }
  const std::shared_ptr<http::OriginGroup>& origins() const { return origins_; }
  const http::UpstreamOptions& upstream_options() const { return upstream_options_; }
  const std::vector<std::uint32_t>& route_numbers() const { return numbers_; }
  Lasting& lasting() const { return lasting_; }
  Router& router() { return *router_; }
  StatisticsSources sources();

  // The connections to Redis of one event loop, for the statistics; from any thread. REQUIRED: taken out
  // before it goes.
  void add_remote(const cache::RemoteStore* remote);
  void remove_remote(const cache::RemoteStore* remote);

 private:
  void make_routes(const Generation* before);
  std::unique_ptr<CollectionRoute> make_route(std::size_t index, const Generation* before);
  std::optional<cache::RemoteHealth> remote_health() const;

  const config::Settings settings_;
  Lasting& lasting_;
  const std::shared_ptr<http::OriginGroup> origins_;
  const http::UpstreamOptions upstream_options_;
  std::vector<std::uint32_t> numbers_;  // of each route
  std::unique_ptr<Statistics> statistics_;
  std::shared_ptr<LogSink> log_;  // null: off
  std::unique_ptr<Router> router_;
  mutable std::mutex mutex_;
  std::vector<const cache::RemoteStore*> remotes_;
};

}  // namespace tessera::proxy
