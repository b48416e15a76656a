// The admin listener's requests: statistics, health, purges and switches.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/memory_cache.h"
#include "cache/remote_store.h"
#include "config/settings.h"
#include "http/message.h"
#include "http/origin_status.h"
#include "proxy/admin_guard.h"
#include "proxy/log_sink.h"
#include "proxy/statistics.h"

namespace tessera::proxy {

struct PurgeCount {
  std::uint64_t memory = 0;
  std::optional<std::uint64_t> remote;  // unset: L2 is off, or remote_failed
  bool remote_failed = false;           // L2 is there and could not be purged
};

// In the order of the routes.
using RouteModes = std::vector<std::pair<std::string, config::RouteMode>>;

// What the admin interface may do to the running proxy; called on an event loop's thread.
struct AdminActions {
  std::function<http::Task<PurgeCount>(std::optional<std::string> route, std::optional<std::string> id)>
      purge;
  // Takes a manifest document of the route; removes the records whose version there is not the stored one.
  // Error text on failure.
  std::function<http::Task<boost::system::result<PurgeCount, std::string>>(std::string route,
                                                                           std::string manifest)>
      invalidate;
  std::function<bool(std::string_view route, config::RouteMode mode)>
      set_mode;                       // false: no such route; resets a mismatch too
  std::function<RouteModes()> modes;  // in effect now
  std::function<bool()> ready;        // accepting, and not draining
  // Reads the settings anew. What was wrong with them, each a sentence; none: they are in effect. Unset: not
  // offered.
  std::function<http::Task<std::vector<std::string>>()> reload;
};

// What the statistics are made of. Every reference outlives the object.
struct StatisticsSources {
  const Statistics* statistics = nullptr;
  const cache::MemoryCache* memory = nullptr;
  const http::OriginGroup* origins = nullptr;
  std::function<std::optional<cache::RemoteHealth>()> remote;  // summed over event loops; unset: off
  std::function<RouteModes()> modes;                           // unset: not told
  const LogCounts* access_log = nullptr;                       // null: not told
};

std::string statistics_json(const StatisticsSources& sources);        // GET /stats
std::string statistics_prometheus(const StatisticsSources& sources);  // GET /metrics, text format 0.0.4

// The handler of the admin listener. Safe from any event loop, as far as the actions are; outlives its
// coroutines. GET and HEAD change nothing. Every answer is JSON (errors: RFC 9457) but for /metrics, and
// no-store.
class Admin {
 public:
  // Sources without modes get those of the actions.
  Admin(const config::AdminSettings& settings, StatisticsSources sources, AdminActions actions);
  http::Task<http::Response> handle(http::Request& request);

 private:
  http::Task<http::Response> answer(http::Request& request);
  http::Response read(std::string_view path) const;
  http::Task<http::Response> purge(std::string_view query);
  http::Task<http::Response> invalidate(http::Request& request);
  http::Task<http::Response> reload(std::string_view query);
  http::Response switch_route(std::string_view route, std::string_view query);
  bool has_route(std::string_view name) const;

  AdminGuard guard_;
  StatisticsSources sources_;
  AdminActions actions_;
};

}  // namespace tessera::proxy
