#include "proxy/router.h"

#include <utility>

#include <boost/system/system_error.hpp>

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

// Of an exchange that was cancelled: its client has left, its time is over, or the process ends. Seldom read,
// but counted.
http::Response cancelled() {
  auto response = http::problem(503, "the exchange was cancelled");
  response.head.fields.set("Cache-Control", "no-store");
  response.note.outcome = static_cast<std::uint8_t>(Outcome::failed);
  return response;
}

}  // namespace

Router::Router(const config::Settings& settings, std::vector<std::unique_ptr<CollectionRoute>> routes,
               Statistics& statistics, std::shared_ptr<LogSink> log,
               std::function<std::string()> public_statistics)
    : settings_(settings),
      identity_(settings),
      access_log_(settings.access_log, std::move(log)),
      statistics_(statistics),
      public_statistics_(std::move(public_statistics)) {
  for (std::size_t i = 0; i < routes.size(); ++i) {
    entries_.push_back({PathPattern::parse(settings.routes[i].path).value(), std::move(routes[i])});
  }
}

http::Task<http::Response> Router::handle(http::Request& request, Worker& worker) {
  identity_.establish(request, worker.ids);
  const std::string_view path = request.head.path();
  if (public_statistics_ && path == kStatisticsPath &&
      (request.head.method == "GET" || request.head.method == "HEAD")) {
    co_return statistics_response(public_statistics_());
  }
  PathNames names;
  const std::size_t index = find(path, &names);
  RouteStatistics& statistics = statistics_.route(index);
  count(statistics.requests);
  CollectionRoute* route = index < entries_.size() ? entries_[index].route.get() : nullptr;
  auto task = route ? route->handle(request, std::move(names), worker)
                    : pass(request, worker, statistics, body_limit(index));
  http::Response response;
  try {
    response = co_await std::move(task);
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::system::errc::operation_canceled) throw;
    response = cancelled();
  }
  if (!response.on_sent) {
    response.on_sent = [&statistics](const http::Sent& sent) { statistics.sent(Outcome::failed, sent); };
  }
  if (!request.id.empty()) {
    response.head.fields.set("X-Request-Id", request.id);
    http::name_problem(response, request.id);
  }
  if (access_log_.is_on()) access_log_.attach(response, request, statistics.name, worker.ids.random());
  co_return response;
}

void Router::refused(const std::string& peer, int status) {
  count(statistics_.refused());
  access_log_.refused(peer, status);
}

// The first route that matches; entries_.size() when none does.
std::size_t Router::find(std::string_view path, PathNames* names) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].pattern.matches(path, names)) return i;
    names->clear();
  }
  return entries_.size();
}

// Of what a client sends to that route; 0: any number of bytes.
std::uint64_t Router::body_limit(std::size_t index) const {
  return index < entries_.size() ? settings_.routes[index].body.value : 0;
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

CollectionRoute* Router::find_route(std::string_view name) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (settings_.routes[i].name == name) return entries_[i].route.get();
  }
  return nullptr;
}

bool Router::set_mode(std::string_view name, config::RouteMode mode) {
  CollectionRoute* route = find_route(name);
  if (route) route->health().set_mode(mode);
  return route != nullptr;
}

}  // namespace tessera::proxy
