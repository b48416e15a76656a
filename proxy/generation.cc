#include "proxy/generation.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <tuple>

#include <spdlog/spdlog.h>

#include "cache/redis/address.h"
#include "proxy/route_digest.h"
#include "proxy/upstream_options.h"

namespace tessera::proxy {
namespace {

std::string random_secret() {
  std::random_device device;
  std::string secret;
  while (secret.size() < 32) secret += static_cast<char>(device() & 0xff);
  return secret;
}

template <class T>
T checked(boost::system::result<T, std::string> result) {
  if (!result) throw std::runtime_error(result.error());
  return std::move(*result);
}

std::vector<std::string> route_names(const config::Settings& settings) {
  std::vector<std::string> names;
  for (const config::RouteSettings& route : settings.routes) names.push_back(route.name);
  return names;
}

// Whether what health checks have found out of the one's origins holds for the other's: an origin that they
// took out would stay out when there are no checks any more.
bool are_judged_alike(const config::OriginSettings& one, const config::OriginSettings& other) {
  const auto judged = [](const config::OriginSettings& origin) {
    return std::tie(origin.url, origin.health_path, origin.health_interval, origin.health_timeout,
                    origin.healthy_after, origin.unhealthy_after);
  };
  return judged(one) == judged(other);
}

void add(const cache::RemoteHealth& one, cache::RemoteHealth& all) {
  all.connected = all.connected && one.connected;
  all.commands += one.commands;
  all.reconnects += one.reconnects;
  all.writes_dropped += one.writes_dropped;
  for (std::size_t i = 0; i < cache::kRemoteFaults; ++i) all.faults[i] += one.faults[i];
  if (!one.last_error.empty()) all.last_error = one.last_error;
}

}  // namespace

Lasting::Lasting(const config::Settings& settings)
    : memory(settings.memory.l1.value),
      generations(settings.routes.size() + kFurtherRoutes),
      secret(random_secret()),
      numbers_(settings.routes.size() + kFurtherRoutes) {}

std::uint32_t Lasting::number_of(const std::string& route) {
  const auto known = std::find(names_.begin(), names_.end(), route);
  if (known != names_.end()) return static_cast<std::uint32_t>(known - names_.begin());
  if (names_.size() == numbers_) {
    throw std::runtime_error("there have been " + std::to_string(kFurtherRoutes) +
                             " names of routes since the start; more need a restart");
  }
  names_.push_back(route);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

std::shared_ptr<LogSink> Lasting::log_at(const std::string& file) {
  const auto is_that = [&](const std::shared_ptr<LogSink>& log) { return log->file() == file; };
  const auto known = std::find_if(logs_.begin(), logs_.end(), is_that);
  if (known != logs_.end()) return *known;
  return logs_.emplace_back(std::make_shared<LogSink>(file, log_counts));
}

// Those of earlier settings too: requests that began under them still write there.
void Lasting::reopen_logs() const {
  for (const auto& log : logs_) log->reopen();
}

Generation::Generation(config::Settings settings, std::size_t loops, Lasting& lasting,
                       const Generation* before)
    : settings_(std::move(settings)),
      lasting_(lasting),
      origins_(before && are_judged_alike(before->settings_.origin, settings_.origin)
                   ? before->origins_
                   : origin_group(settings_.origin, loops)),
      upstream_options_(proxy::upstream_options(settings_.origin)) {
  if (!settings_.redis.address.empty()) checked(cache::redis::parse_address(settings_.redis.address));
  for (const config::RouteSettings& route : settings_.routes)
    numbers_.push_back(lasting.number_of(route.name));
  statistics_ =
      std::make_unique<Statistics>(route_names(settings_), before ? before->statistics_.get() : nullptr);
  if (settings_.access_log.format != "off") log_ = lasting.log_at(settings_.access_log.file);
  make_routes(before);
}

void Generation::make_routes(const Generation* before) {
  std::vector<std::unique_ptr<CollectionRoute>> routes;
  for (std::size_t i = 0; i < settings_.routes.size(); ++i) routes.push_back(make_route(i, before));
  std::function<std::string()> statistics;
  if (settings_.stats.public_endpoint) statistics = [this] { return statistics_json(sources()); };
  router_ = std::make_unique<Router>(settings_, std::move(routes), *statistics_, log_, std::move(statistics));
}

// Null for a route that is passed on.
std::unique_ptr<CollectionRoute> Generation::make_route(std::size_t index, const Generation* before) {
  const config::RouteSettings& settings = settings_.routes[index];
  if (settings.cache == config::CacheMode::pass) return nullptr;
  auto route = std::make_unique<CollectionRoute>(
      std::make_unique<RouteParts>(numbers_[index], settings, settings_, lasting_.memory,
                                   lasting_.generations, statistics_->route(index), lasting_.secret));
  if (!settings_.redis.address.empty() && settings_.redis.secret.empty() &&
      settings.records_audience != "shared") {
    spdlog::info(
        "route {}: without [redis] secret, fragments of requests with credentials stay in this process's "
        "memory",
        settings.name);
  }
  CollectionRoute* known = before ? before->router_->find_route(settings.name) : nullptr;
  // A mode that the file changes wins over one that was switched.
  const bool is_same = known && known->settings().mode == settings.mode &&
                       route_digest(known->settings()) == route_digest(settings);
  if (is_same) route->health().take_over(known->health());
  return route;
}

StatisticsSources Generation::sources() {
  StatisticsSources sources;
  sources.statistics = statistics_.get();
  sources.memory = &lasting_.memory;
  sources.origins = origins_.get();
  sources.remote = [this] { return remote_health(); };
  sources.modes = [this] { return router_->modes(); };
  sources.access_log = lasting_.log_counts.get();
  return sources;
}

void Generation::add_remote(const cache::RemoteStore* remote) {
  const std::lock_guard lock(mutex_);
  remotes_.push_back(remote);
}

void Generation::remove_remote(const cache::RemoteStore* remote) {
  const std::lock_guard lock(mutex_);
  std::erase(remotes_, remote);
}

// Summed over the event loops, each of which has its own connections.
std::optional<cache::RemoteHealth> Generation::remote_health() const {
  const std::lock_guard lock(mutex_);
  std::optional<cache::RemoteHealth> all;
  for (const cache::RemoteStore* remote : remotes_) {
    if (all) {
      add(remote->health(), *all);
    } else {
      all = remote->health();
    }
  }
  return all;
}

}  // namespace tessera::proxy
