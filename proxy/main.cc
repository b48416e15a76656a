// tessera-proxy: builds the object graph from the settings, runs it, and takes it down again.
#include <atomic>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "cache/redis/address.h"
#include "cache/redis/redis_store.h"
#include "config/load.h"
#include "http/event_loops.h"
#include "http/peer_counts.h"
#include "http/server.h"
#include "proxy/admin.h"
#include "proxy/descriptors.h"
#include "proxy/purger.h"
#include "proxy/router.h"
#include "proxy/tls_setup.h"
#include "proxy/upstream_options.h"

extern char** environ;

namespace tessera::proxy {
namespace {

config::Environment environment() {
  config::Environment variables;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

// Keys the HMAC of credentials where no secret is configured: such fragments never leave this process.
std::string random_secret() {
  std::random_device device;
  std::string secret;
  while (secret.size() < 32) secret += static_cast<char>(device() & 0xff);
  return secret;
}

void set_up_log(const config::LogSettings& settings) {
  auto logger =
      std::make_shared<spdlog::logger>("tessera", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(settings.level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

// Fewer connections than the settings say, rather than one that nobody can be asked for.
std::size_t max_connections(const config::Settings& settings, std::size_t loops) {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t affordable = affordable_connections(settings, loops, limit);
  if (affordable < settings.limits.connections) {
    spdlog::warn(
        "limits.connections = {} needs more than the {} files that this process may open: {} are taken; "
        "raise "
        "the limit (ulimit -n, LimitNOFILE)",
        settings.limits.connections, limit, affordable);
  }
  return affordable;
}

http::ServerOptions server_options(const config::Settings& settings, std::size_t loops) {
  http::ServerOptions options;
  options.head_bytes = settings.limits.head.value;
  options.request_line_bytes = settings.limits.request_line.value;
  options.max_fields = settings.limits.fields;
  options.body_bytes = settings.limits.body.value;
  options.head_timeout = settings.limits.head_timeout;
  options.idle_timeout = settings.limits.idle_timeout;
  options.body_timeout = settings.limits.body_timeout;
  options.write_timeout = settings.limits.write_timeout;
  options.request_timeout = settings.limits.request_timeout;
  options.tunnel_timeout = settings.limits.tunnel_timeout;
  options.max_connections = std::max<std::size_t>(1, max_connections(settings, loops) / loops);
  if (settings.limits.connections_per_client != 0) {
    options.peers = std::make_shared<http::PeerCounts>(settings.limits.connections_per_client);
  }
  return options;
}

// What one event loop owns.
struct Loop {
  Loop(boost::asio::any_io_executor executor, std::size_t index, std::shared_ptr<http::OriginGroup> origins,
       const http::UpstreamOptions& options, const config::Settings& settings, cache::MemoryCache& memory)
      : origin(executor, std::move(origins), options, index),
        remote(settings.redis.address.empty() ? nullptr : cache::make_redis_store(executor, settings.redis)),
        store(memory, remote.get()),
        tasks(executor),
        control(executor),
        worker{index, origin, store, tasks} {}

  http::Upstream origin;
  std::unique_ptr<cache::RemoteStore> remote;
  cache::TieredStore store;
  http::TaskGroup tasks;
  http::TaskGroup control;  // of the shutdown itself
  Worker worker;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<http::Server> tls_server;  // null: no tls.address
};

class Proxy {
 public:
  explicit Proxy(const config::Settings& settings)
      : settings_(settings),
        memory_(settings.memory.l1.value),
        generations_(settings.routes.size()),
        statistics_(route_names(settings)),
        loops_(settings.listen.threads) {
    origins_ = origin_group(settings.origin, loops_.size());
    if (!settings.redis.address.empty()) checked(cache::redis::parse_address(settings.redis.address));
    const auto options = upstream_options(settings.origin);
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      per_loop_.push_back(
          std::make_unique<Loop>(loops_.executor(i), i, origins_, options, settings_, memory_));
    }
    make_routes();
    listen();
  }

  int run() {
    loops_.on_termination([this] { terminate(); });
    for (auto& loop : per_loop_) {
      loop->server->start();
      if (loop->tls_server) loop->tls_server->start();
    }
    admin_server_->start();
    accepting_ = true;
    // In this order, the last line last: whoever waits for it may use both.
    std::fprintf(stderr, "admin on http://%s\n", to_string(admin_server_->local_address()).c_str());
    if (const auto& secure = per_loop_[0]->tls_server) {
      std::fprintf(stderr, "listening on https://%s\n", to_string(secure->local_address()).c_str());
    }
    std::fprintf(stderr, "listening on http://%s\n",
                 to_string(per_loop_[0]->server->local_address()).c_str());
    loops_.run();
    return 0;
  }

 private:
  template <class T>
  static T checked(boost::system::result<T, std::string> result) {
    if (!result) throw std::runtime_error(result.error());
    return std::move(*result);
  }

  static std::vector<std::string> route_names(const config::Settings& settings) {
    std::vector<std::string> names;
    for (const config::RouteSettings& route : settings.routes) names.push_back(route.name);
    return names;
  }

  StatisticsSources sources() {
    StatisticsSources sources;
    sources.statistics = &statistics_;
    sources.memory = &memory_;
    sources.origins = origins_.get();
    sources.remote = [this] { return remote_health(); };
    sources.modes = [this] { return router_->modes(); };
    return sources;
  }

  // Summed over the event loops, each of which has its own connections.
  std::optional<cache::RemoteHealth> remote_health() const {
    std::optional<cache::RemoteHealth> all;
    for (const auto& loop : per_loop_) {
      if (!loop->remote) continue;
      const cache::RemoteHealth one = loop->remote->health();
      if (!all) {
        all = one;
        continue;
      }
      all->connected = all->connected && one.connected;
      all->commands += one.commands;
      all->reconnects += one.reconnects;
      all->writes_dropped += one.writes_dropped;
      for (std::size_t i = 0; i < cache::kRemoteFaults; ++i) all->faults[i] += one.faults[i];
      if (!one.last_error.empty()) all->last_error = one.last_error;
    }
    return all;
  }

  void make_routes() {
    const std::string secret = random_secret();
    std::vector<std::unique_ptr<CollectionRoute>> routes;
    for (std::size_t i = 0; i < settings_.routes.size(); ++i) {
      const config::RouteSettings& route = settings_.routes[i];
      if (route.cache == config::CacheMode::pass) {
        routes.push_back(nullptr);
        continue;
      }
      routes.push_back(std::make_unique<CollectionRoute>(
          std::make_unique<RouteParts>(static_cast<std::uint32_t>(i), route, settings_, memory_, generations_,
                                       statistics_.route(i), secret)));
      if (!settings_.redis.address.empty() && settings_.redis.secret.empty() &&
          route.records_audience != "shared") {
        spdlog::info(
            "route {}: without [redis] secret, fragments of requests with credentials stay in this process's "
            "memory",
            route.name);
      }
    }
    std::function<std::string()> statistics;
    if (settings_.stats.public_endpoint) statistics = [this] { return statistics_json(sources()); };
    router_ = std::make_unique<Router>(settings_, std::move(routes), statistics_, std::move(statistics));
  }

  void listen() {
    const http::ServerOptions options = server_options(settings_, loops_.size());
    auto address = http::parse_address(settings_.listen.address);
    auto admin_address = http::parse_address(settings_.admin.address);
    auto tls_address = http::parse_address(settings_.tls.address);
    server_tls_ = make_server_tls(settings_.tls);
    if (!address || !admin_address || (server_tls_ && !tls_address))
      throw std::runtime_error("an address to listen on does not read as HOST:PORT");
    for (auto& loop : per_loop_) {
      http::Handler handler = [this, worker = &loop->worker](http::Request& request) {
        return router_->handle(request, *worker);
      };
      loop->server = std::make_unique<http::Server>(loop->tasks.executor(), *address,
                                                    plain_options(options, settings_), handler);
      address = loop->server->local_address();  // the port that 0 became is every loop's
      if (!server_tls_) continue;
      loop->tls_server = std::make_unique<http::Server>(
          loop->tasks.executor(), *tls_address, tls_options(options, settings_, server_tls_), handler);
      tls_address = loop->tls_server->local_address();
    }
    Loop& first = *per_loop_[0];
    std::vector<Worker*> workers;
    for (auto& loop : per_loop_) workers.push_back(&loop->worker);
    purger_ = std::make_unique<Purger>(settings_, memory_, generations_, std::move(workers));
    AdminActions actions;
    actions.purge = [this](auto route, auto id) { return purger_->purge(std::move(route), std::move(id)); };
    actions.invalidate = [this](auto route, auto manifest) {
      return purger_->invalidate(std::move(route), std::move(manifest));
    };
    actions.set_mode = [this](std::string_view route, config::RouteMode mode) {
      return router_->set_mode(route, mode);
    };
    actions.modes = [this] { return router_->modes(); };
    actions.ready = [this] { return accepting_.load(); };
    admin_ = std::make_unique<Admin>(settings_.admin, sources(), std::move(actions));
    http::Handler handler = [this](http::Request& request) { return admin_->handle(request); };
    http::ServerOptions admin_options = options;
    admin_options.peers = nullptr;  // whoever operates this is not kept out by clients
    admin_server_ = std::make_unique<http::Server>(first.tasks.executor(), *admin_address, admin_options,
                                                   std::move(handler));
  }

  // The first signal drains, a second one forces.
  void terminate() {
    if (!accepting_.exchange(false)) {
      spdlog::warn("stopped before every request had been answered");
      loops_.stop();
      return;
    }
    draining_ = per_loop_.size() * (server_tls_ ? 2 : 1);
    const auto deadline = std::chrono::steady_clock::now() + settings_.limits.drain;
    for (auto& loop : per_loop_) {
      stop(*loop, *loop->server, deadline);
      if (loop->tls_server) stop(*loop, *loop->tls_server, deadline);
    }
  }

  void stop(Loop& loop, http::Server& server, http::Deadline deadline) {
    loop.control.spawn([this, deadline, &loop, &server]() -> http::Task<void> {
      co_await server.stop(settings_.limits.drain);
      co_await loop.tasks.wait_empty(deadline);
      if (--draining_ == 0) loops_.stop();
    });
  }

  // The event loops go before what their coroutines refer to: a forced stop leaves coroutines behind.
  const config::Settings& settings_;
  cache::MemoryCache memory_;
  cache::Generations generations_;
  Statistics statistics_;
  std::shared_ptr<http::OriginGroup> origins_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<Purger> purger_;
  std::unique_ptr<Admin> admin_;
  std::shared_ptr<http::ServerTls> server_tls_;  // null: no tls.address
  http::EventLoops loops_;
  std::vector<std::unique_ptr<Loop>> per_loop_;
  std::unique_ptr<http::Server> admin_server_;
  std::atomic<bool> accepting_{false};
  std::atomic<std::size_t> draining_{0};
};

}  // namespace
}  // namespace tessera::proxy

int main(int argc, char** argv) {
  using tessera::config::CommandLine;
  const CommandLine line = tessera::config::read_command_line(argc, argv, tessera::proxy::environment());
  if (line.action == CommandLine::Action::fail) {
    std::cerr << line.output << std::flush;
    return 2;
  }
  if (line.action != CommandLine::Action::run) {
    std::cout << line.output << std::flush;
    return 0;
  }
  try {
    tessera::proxy::set_up_log(line.settings.log);
    tessera::proxy::Proxy proxy(line.settings);
    return proxy.run();
  } catch (const std::exception& error) {
    std::cerr << "tessera-proxy: " << error.what() << '\n';
    return 1;
  }
}
