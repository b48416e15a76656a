#include "proxy/router.h"

namespace tessera::proxy {
namespace {

constexpr std::string_view kStatisticsPath = "/__tessera/stats";

http::Response statistics_response(std::string json) {
  http::Response response;
  response.head.fields.set("Content-Type", "application/json");
  response.head.fields.set("Cache-Control", "no-store");
  response.body = std::move(json);
  return response;
}

}  // namespace

Router::Router(const config::Settings& settings, std::vector<std::unique_ptr<CollectionRoute>> routes,
               Statistics& statistics, std::function<std::string()> public_statistics)
    : settings_(settings), statistics_(statistics), public_statistics_(std::move(public_statistics)) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    entries_.push_back({PathPattern::parse(settings.routes[i].path).value(), std::move(routes[i])});
  }
}

http::Task<http::Response> Router::handle(http::Request& request, Worker& worker) {
  const std::string_view path = request.head.path();
  if (public_statistics_ && path == kStatisticsPath &&
      (request.head.method == "GET" || request.head.method == "HEAD")) {
    co_return statistics_response(public_statistics_());
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    PathNames names;
    if (!entries_[i].pattern.matches(path, &names)) continue;
    count(statistics_.route(i).requests);
    if (entries_[i].route) co_return co_await entries_[i].route->handle(request, std::move(names), worker);
    co_return co_await pass(request, worker, statistics_.route(i), settings_.routes[i].body.value);
  }
  RouteStatistics& statistics = statistics_.route(entries_.size());
  count(statistics.requests);
  co_return co_await pass(request, worker, statistics, 0);
}

http::Task<http::Response> Router::pass(http::Request& request, Worker& worker, RouteStatistics& statistics,
                                        std::uint64_t body_bytes) {
  CacheStatus status;
  status.forward = CacheStatus::Forward::bypass;
  status.reason = Reason::no_route;
  PassOptions options;
  options.response_timeout = settings_.origin.response_timeout;
  options.progress_timeout = settings_.origin.progress_timeout;
  options.body_bytes = body_bytes;
  options.cache_status = settings_.stats.cache_status;
  co_return co_await proxy::pass(request, worker.origin, options, status, statistics);
}

std::vector<std::pair<std::string, config::RouteMode>> Router::modes() const {
  std::vector<std::pair<std::string, config::RouteMode>> modes;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    modes.emplace_back(settings_.routes[i].name,
                       entries_[i].route ? entries_[i].route->health().mode() : config::RouteMode::pass);
  }
  return modes;
}

bool Router::set_mode(std::string_view route, config::RouteMode mode) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (settings_.routes[i].name != route || !entries_[i].route) continue;
    entries_[i].route->health().set_mode(mode);
    return true;
  }
  return false;
}

}  // namespace tessera::proxy
