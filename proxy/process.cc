// Invariants. An event loop's service is swapped on that loop, and a request takes the one of its moment
// along (Request::owner). The last request of a service that was replaced lets it go; it is then destroyed on
// its loop once its background work has ended. A reload is a task of the process: whoever asked for it may be
// cancelled at any time and waits for its result only.
#include "proxy/process.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "http/event_loops.h"
#include "http/handover.h"
#include "http/peer_counts.h"
#include "http/server.h"
#include "http/signal.h"
#include "proxy/descriptors.h"
#include "proxy/generation.h"
#include "proxy/listeners.h"
#include "proxy/reload.h"
#include "proxy/service.h"
#include "proxy/tls_setup.h"

namespace tessera::proxy {
namespace {

using std::chrono::steady_clock;
using Faults = std::vector<std::string>;

// Fewer connections than the settings say, rather than one that nobody can be asked for.
std::size_t max_connections(const config::Settings& settings, std::size_t loops) {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t affordable = affordable_connections(settings, loops, limit);
  if (affordable < settings.limits.connections) {
    spdlog::warn(
        "limits.connections = {} needs more than the {} files that this process may open: {} are taken; "
        "raise the "
        "limit (ulimit -n, LimitNOFILE)",
        settings.limits.connections, limit, affordable);
  }
  return affordable;
}

// A source has a deadline of its own for each piece, and says more about what has failed.
constexpr config::Millis kSourceSlack{1'000};
// After the last client: an answer that says so to an operator.
constexpr config::Millis kLastAnswers{1'000};
// How often a service that was replaced, and still has requests, closes what they give back.
constexpr std::chrono::seconds kIdleRound{1};

http::ServerOptions server_options(const config::Settings& settings) {
  const config::LimitsSettings& limits = settings.limits;
  http::ServerOptions options;
  options.head_bytes = limits.head.value;
  options.request_line_bytes = limits.request_line.value;
  options.max_fields = limits.fields;
  options.body_bytes = limits.body.value;
  options.request_timeout = limits.request_timeout;
  options.tunnel_timeout = limits.tunnel_timeout;
  options.head_timeout = limits.head_timeout;
  options.idle_timeout = limits.idle_timeout;
  options.body_timeout = limits.body_timeout;
  options.write_timeout = limits.write_timeout;
  options.source_timeout = settings.origin.progress_timeout + kSourceSlack;
  return options;
}

// Whoever operates this is not held to the limits of clients, nor kept out by their number: the defaults.
http::ServerOptions admin_options(const config::Settings& settings, std::size_t servers) {
  http::ServerOptions options;
  options.body_bytes = settings.limits.manifest.value;  // the largest thing that is posted
  options.max_connections = std::max<std::size_t>(1, kAdminConnections / std::max<std::size_t>(1, servers));
  return options;
}

// What every listener's servers are told, as the settings say.
struct ListenerOptions {
  http::ServerOptions plain;
  http::ServerOptions tls;
  http::ServerOptions admin;
};

// What a reload has come to, once it is done.
struct ReloadResult {
  http::Signal done;
  Faults faults;
};

// What is prepared for a change of settings; owned by everybody who works at it.
struct Change {
  explicit Change(std::size_t loops) : services(loops), failures(loops) {}

  std::shared_ptr<Generation> next;
  ListenerOptions options;
  std::vector<std::shared_ptr<Service>> services;  // by event loop, as are the failures
  Faults failures;
  bool is_good = false;
};

// What one event loop owns.
struct Loop {
  explicit Loop(boost::asio::any_io_executor executor) : control(executor), retiring(executor) {}

  http::TaskGroup control;   // of reloads and of the end
  http::TaskGroup retiring;  // services whose background work goes on
  std::shared_ptr<Service> service;
  std::vector<std::unique_ptr<http::Server>> servers;      // of the plain listener
  std::vector<std::unique_ptr<http::Server>> tls_servers;  // of the TLS one

  std::vector<http::Server*> all_servers() const {
    std::vector<http::Server*> all;
    for (const auto& server : servers) all.push_back(server.get());
    for (const auto& server : tls_servers) all.push_back(server.get());
    return all;
  }
};

// On their event loop, all at once: idle connections of each end now, whatever the others still do.
http::Task<void> stop_all(boost::asio::any_io_executor executor, std::vector<http::Server*> servers,
                          steady_clock::time_point deadline) {
  http::TaskGroup stopping(executor);
  for (http::Server* server : servers) {
    const auto left = std::chrono::duration_cast<config::Millis>(deadline - steady_clock::now());
    const auto grace = std::max(left, config::Millis{0});
    stopping.spawn([server, grace] { return server->stop(grace); });
  }
  co_await stopping.wait_empty(http::kNoDeadline);
}

// What no route saw is counted, and logged, by the service of that moment.
http::ServerOptions counting_refusals(http::ServerOptions options, Loop& loop) {
  options.on_refused = [&loop](const std::string& peer, int status) { loop.service->refused(peer, status); };
  return options;
}

}  // namespace

struct Process::Impl {
  Impl(config::Settings settings, Load again);
  ~Impl();

  void run();

  std::shared_ptr<Service> make_service(std::size_t loop, const std::shared_ptr<Generation>& generation);
  ListenerOptions listener_options(const config::Settings& settings, std::shared_ptr<http::ServerTls> tls);
  void make_servers();
  void serve_clients(std::vector<http::ListeningSocket>& from, const http::ServerOptions& options,
                     std::vector<std::unique_ptr<http::Server>> Loop::*servers);
  void make_handover();
  void on_every_loop(std::function<http::Task<void>(Loop&)> what);
  http::Task<void> wait_for_every_loop(std::function<void(std::size_t)> what);

  std::shared_ptr<ReloadResult> begin_reload();
  http::Task<Faults> wait_for_reload();
  http::Task<Faults> reload();
  http::Task<Faults> replace(config::Settings settings);
  void prepare(Change& change, std::size_t loop);
  void change_over(Change& change, std::size_t loop);
  void let_go(const std::shared_ptr<Service>& service, std::size_t loop);
  void report(const Faults& faults) const;

  void terminate(bool at_once);
  void drain(steady_clock::time_point accept_until, bool end_idle);
  void handed_over();
  void stop_offering(bool admin_too);
  void finish();

  // The event loops go before what their coroutines refer to: a forced stop leaves coroutines behind.
  const Load load;
  std::unique_ptr<Lasting> lasting;
  std::vector<std::shared_ptr<Generation>> kept;  // to the very end
  std::vector<std::weak_ptr<Generation>> all;
  std::shared_ptr<Generation> current;  // used on loop 0
  std::atomic<bool> ended{false};       // the event loops no longer run
  std::atomic<bool> ready{false};
  ProcessActions actions;
  ListeningSockets sockets;
  std::size_t admin_sockets = 0;
  const std::shared_ptr<std::atomic<std::size_t>> plain_connections =
      std::make_shared<std::atomic<std::size_t>>(0);  // of all event loops
  const std::shared_ptr<std::atomic<std::size_t>> tls_connections =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<http::PeerCounts> peers;  // null: no limit; used on loop 0
  unsigned peers_limit = 0;
  bool reloading = false;    // used on loop 0, as is the next
  http::Signal reload_over;  // set when the reload in progress has ended
  http::EventLoops loops;
  std::vector<std::unique_ptr<Loop>> per_loop;
  std::vector<std::unique_ptr<http::Server>> admin_servers;
  std::unique_ptr<http::Handover> handover;  // null: none
  bool ending = false;                       // used on loop 0, as are the next two
  bool signalled = false;
  http::NamedSockets offered;  // further descriptors of all listening sockets, for a successor
  std::atomic<std::size_t> draining{0};
};

Process::Impl::Impl(config::Settings settings, Load again)
    : load(std::move(again)), lasting(std::make_unique<Lasting>(settings)), loops(settings.listen.threads) {
  actions.ready = [this] { return ready.load(); };
  actions.reload = [this] { return wait_for_reload(); };
  // Before anything that takes its time: these would end the process, and wait for run() instead.
  loops.on_signal(SIGUSR1, [this] { lasting->reopen_logs(); });
  loops.on_signal(SIGHUP, [this] {
    lasting->reopen_logs();
    per_loop[0]->control.spawn([this]() -> http::Task<void> {
      const auto result = begin_reload();
      const bool done = co_await result->done.wait(http::kNoDeadline);
      if (done) report(result->faults);
    });
  });
  current = std::make_shared<Generation>(std::move(settings), loops.size(), *lasting, nullptr);
  all.push_back(current);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    per_loop.push_back(std::make_unique<Loop>(loops.executor(i)));
    per_loop[i]->service = make_service(i, current);
  }
  make_servers();
}

Process::Impl::~Impl() {
  ended = true;
  for (const auto& generation : all) {
    if (auto alive = generation.lock()) kept.push_back(std::move(alive));
  }
}

std::shared_ptr<Service> Process::Impl::make_service(std::size_t loop,
                                                     const std::shared_ptr<Generation>& generation) {
  auto service = std::make_unique<Service>(loops.executor(loop), loop, generation, actions);
  const auto retire = [this, loop](Service* last) {
    std::shared_ptr<Service> owned(last);
    if (ended) return;
    per_loop[loop]->retiring.spawn([owned]() -> http::Task<void> { co_await owned->retire(); });
  };
  return {service.release(), retire};
}

ListenerOptions Process::Impl::listener_options(const config::Settings& settings,
                                                std::shared_ptr<http::ServerTls> tls) {
  const config::LimitsSettings& limits = settings.limits;
  http::ServerOptions common = server_options(settings);
  const std::size_t connections = max_connections(settings, loops.size());
  ListenerOptions options;
  options.admin = admin_options(settings, admin_sockets);
  // Counts go on over a reload that leaves the limit as it was.
  if (limits.connections_per_client != std::exchange(peers_limit, limits.connections_per_client)) {
    peers = peers_limit == 0 ? nullptr : std::make_shared<http::PeerCounts>(peers_limit);
  }
  common.peers = peers;
  for (const auto& text : settings.listen.trusted_proxies) {
    if (const auto network = config::parse_network(text)) common.uncounted.push_back(*network);
  }
  options.plain = plain_options(common, settings);
  options.plain.max_connections = connections;
  options.plain.open_connections = plain_connections;
  options.tls = tls_options(common, settings, std::move(tls));
  options.tls.max_connections = connections;
  options.tls.open_connections = tls_connections;
  return options;
}

void Process::Impl::make_servers() {
  const config::Settings& settings = current->settings();
  auto tls = make_server_tls(settings.tls);
  sockets = open_listeners(settings, loops.size());
  admin_sockets = sockets.admin.size();
  const ListenerOptions options = listener_options(settings, std::move(tls));
  if (!settings.listen.handover.empty()) {
    for (const auto& socket : sockets.clients) offered.push_back({"listen", socket.duplicate()});
    for (const auto& socket : sockets.tls) offered.push_back({"tls", socket.duplicate()});
    for (const auto& socket : sockets.admin) offered.push_back({"admin", socket.duplicate()});
  }
  serve_clients(sockets.clients, options.plain, &Loop::servers);
  serve_clients(sockets.tls, options.tls, &Loop::tls_servers);
  for (http::ListeningSocket& socket : sockets.admin) {
    Loop& loop = *per_loop[0];
    http::Handler handler = [&loop](http::Request& request) {
      request.owner = loop.service;
      return loop.service->administer(request);
    };
    admin_servers.push_back(std::make_unique<http::Server>(loop.control.executor(), std::move(socket),
                                                           options.admin, std::move(handler)));
  }
}

void Process::Impl::serve_clients(std::vector<http::ListeningSocket>& from,
                                  const http::ServerOptions& options,
                                  std::vector<std::unique_ptr<http::Server>> Loop::*servers) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    Loop& loop = *per_loop[i % per_loop.size()];
    http::Handler handler = [&loop](http::Request& request) {
      request.owner = loop.service;
      return loop.service->handle(request);
    };
    (loop.*servers)
        .push_back(std::make_unique<http::Server>(loop.control.executor(), std::move(from[i]),
                                                  counting_refusals(options, loop), std::move(handler)));
  }
}

void Process::Impl::make_handover() {
  const std::string& path = current->settings().listen.handover;
  if (path.empty()) return;
  handover = std::make_unique<http::Handover>(
      loops.executor(0), path,
      [this] {
        std::vector<std::pair<std::string, int>> descriptors;
        for (const auto& each : offered) descriptors.emplace_back(each.name, each.socket.descriptor());
        return descriptors;
      },
      [this] { handed_over(); });
  handover->start();
}

void Process::Impl::run() {
  loops.on_signal(SIGTERM, [this] { terminate(false); });
  loops.on_signal(SIGINT, [this] { terminate(true); });
  if (sockets.from && sockets.from->given_up()) {
    throw std::runtime_error("the process that handed over its sockets has waited too long and goes on");
  }
  for (auto& loop : per_loop) {
    for (http::Server* server : loop->all_servers()) server->start();
  }
  for (auto& server : admin_servers) server->start();
  make_handover();
  ready = true;
  if (sockets.from) sockets.from->ready();
  sockets.from.reset();
  // In this order, the last line last: whoever waits for it may use both.
  std::fprintf(stderr, "admin on http://%s\n", to_string(admin_servers[0]->local_address()).c_str());
  if (!per_loop[0]->tls_servers.empty()) {
    std::fprintf(stderr, "listening on https://%s\n",
                 to_string(per_loop[0]->tls_servers[0]->local_address()).c_str());
  }
  std::fprintf(stderr, "listening on http://%s\n",
               to_string(per_loop[0]->servers[0]->local_address()).c_str());
  loops.run();
}

void Process::Impl::on_every_loop(std::function<http::Task<void>(Loop&)> what) {
  for (auto& loop : per_loop) loop->control.spawn([what, to = loop.get()] { return what(*to); });
}

// Calls what(index) on each event loop; resumes when all have.
http::Task<void> Process::Impl::wait_for_every_loop(std::function<void(std::size_t)> what) {
  const http::Signal done;
  const auto left = std::make_shared<std::atomic<std::size_t>>(per_loop.size());
  for (std::size_t i = 0; i < per_loop.size(); ++i) {
    per_loop[i]->control.spawn([what, i, done, left]() -> http::Task<void> {
      what(i);
      http::Signal last = done;
      if (--*left == 0) last.set();
      co_return;
    });
  }
  co_await done.wait(http::kNoDeadline);
}

// On loop 0. The result comes whatever becomes of the caller.
std::shared_ptr<ReloadResult> Process::Impl::begin_reload() {
  auto result = std::make_shared<ReloadResult>();
  per_loop[0]->control.spawn([this, result]() -> http::Task<void> {
    try {
      auto task = reload();
      result->faults = co_await std::move(task);
    } catch (const std::exception& error) {
      result->faults.emplace_back(error.what());
    }
    result->done.set();
  });
  return result;
}

http::Task<Faults> Process::Impl::wait_for_reload() {
  const auto result = begin_reload();
  const bool done = co_await result->done.wait(http::kNoDeadline);
  if (done) co_return result->faults;
  co_return Faults{"nobody waits for it any more"};
}

// One at a time, on loop 0.
http::Task<Faults> Process::Impl::reload() {
  while (reloading) {
    const http::Signal before = reload_over;
    co_await before.wait(http::kNoDeadline);
  }
  if (ending) co_return Faults{"the process is ending"};
  struct Turn {
    explicit Turn(Impl& its_process) : process(its_process) {
      process.reloading = true;
      process.reload_over = http::Signal();
    }
    ~Turn() {
      process.reloading = false;
      if (!process.ended) process.reload_over.set();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Impl& process;
  };
  const Turn turn(*this);
  Faults faults;
  config::CommandLine line = load();
  for (const config::Fault& fault : line.faults) faults.push_back(config::to_string(fault));
  if (line.action != config::CommandLine::Action::run && faults.empty())
    faults.emplace_back("the settings do not read");
  if (faults.empty()) faults = needs_restart(current->settings(), line.settings);
  if (faults.empty()) {
    auto task = replace(std::move(line.settings));
    faults = co_await std::move(task);
  }
  co_return faults;
}

// Everything that can fail comes before the first event loop changes over.
http::Task<Faults> Process::Impl::replace(config::Settings settings) {
  const auto change = std::make_shared<Change>(per_loop.size());
  std::shared_ptr<http::ServerTls> tls;
  try {
    tls = make_server_tls(settings.tls);
    change->next = std::make_shared<Generation>(std::move(settings), loops.size(), *lasting, current.get());
  } catch (const std::exception& error) {
    change->failures[0] = error.what();
  }
  if (change->next) {
    auto preparation = wait_for_every_loop([this, change](std::size_t i) { prepare(*change, i); });
    co_await std::move(preparation);
  }
  Faults failures = change->failures;
  std::sort(failures.begin(), failures.end());
  failures.erase(std::unique(failures.begin(), failures.end()), failures.end());
  std::erase(failures, "");
  change->is_good = failures.empty();
  if (change->is_good) change->options = listener_options(change->next->settings(), std::move(tls));
  auto changing = wait_for_every_loop([this, change](std::size_t i) { change_over(*change, i); });
  co_await std::move(changing);
  if (!change->is_good) co_return failures;
  if (change->next->settings().origin.url != current->settings().origin.url) {
    lasting->generations.purge_everything();
    lasting->memory.erase_if([](const cache::MemoryKey&, std::uint32_t) { return true; });
  }
  std::erase_if(all, [](const auto& generation) { return generation.expired(); });
  all.push_back(change->next);
  current = change->next;
  spdlog::set_level(spdlog::level::from_str(current->settings().log.level));
  co_return Faults{};
}

// On that event loop, as is change_over().
void Process::Impl::prepare(Change& change, std::size_t loop) {
  try {
    change.services[loop] = make_service(loop, change.next);
  } catch (const std::exception& error) {
    change.failures[loop] = error.what();
  }
}

void Process::Impl::change_over(Change& change, std::size_t loop) {
  auto service = std::exchange(change.services[loop], nullptr);
  if (!change.is_good) return;  // what was prepared goes on its own loop
  per_loop[loop]->service.swap(service);
  let_go(service, loop);
  const auto plain = counting_refusals(change.options.plain, *per_loop[loop]);
  const auto tls = counting_refusals(change.options.tls, *per_loop[loop]);
  for (auto& server : per_loop[loop]->servers) server->set_options(plain);
  for (auto& server : per_loop[loop]->tls_servers) server->set_options(tls);
  if (loop != 0) return;
  for (auto& server : admin_servers) server->set_options(change.options.admin);
}

// A tunnel may keep a service that was replaced for hours.
void Process::Impl::let_go(const std::shared_ptr<Service>& service, std::size_t loop) {
  service->give_way();
  per_loop[loop]->control.spawn([left = std::weak_ptr<Service>(service)]() -> http::Task<void> {
    for (;;) {
      co_await http::sleep_until(steady_clock::now() + kIdleRound);
      const auto alive = left.lock();
      if (!alive) co_return;
      alive->close_idle();
    }
  });
}

void Process::Impl::report(const Faults& faults) const {
  if (faults.empty()) {
    spdlog::info("the settings have been read anew and are in effect");
    return;
  }
  spdlog::error("the settings have been read anew and nothing has changed:");
  for (const std::string& fault : faults) spdlog::error("  {}", fault);
}

// The first signal drains, a second one forces.
void Process::Impl::terminate(bool at_once) {
  if (std::exchange(signalled, true)) {
    spdlog::warn("stopped before every request had been answered");
    loops.stop();
    return;
  }
  if (std::exchange(ending, true)) return;
  ready = false;
  const auto delay = at_once ? config::Millis{0} : current->settings().limits.drain_delay;
  drain(steady_clock::now() + delay, true);
}

// A successor accepts now. Whoever is connected here may go on until the next answer.
void Process::Impl::handed_over() {
  if (std::exchange(ending, true)) return;
  spdlog::info("another process accepts now; this one finishes what it has");
  ready = false;
  drain(steady_clock::now(), false);
}

// With `end_idle` connections that wait for a request end as soon as nothing is accepted any more; without it
// they end with their next answer, or when the time is over.
void Process::Impl::drain(steady_clock::time_point accept_until, bool end_idle) {
  draining = per_loop.size();
  const auto grace = current->settings().limits.drain;
  on_every_loop([this, accept_until, end_idle, grace](Loop& loop) -> http::Task<void> {
    const auto servers = loop.all_servers();
    for (auto* server : servers) server->announce_close();
    if (accept_until > steady_clock::now()) co_await http::sleep_until(accept_until);
    const auto deadline = steady_clock::now() + grace;
    if (&loop == per_loop[0].get()) stop_offering(!end_idle);
    for (auto* server : servers) server->stop_accepting();
    if (!end_idle) {
      for (auto* server : servers) co_await server->wait_idle(deadline);
    }
    auto stopping = stop_all(loop.control.executor(), servers, deadline);
    co_await std::move(stopping);
    co_await loop.service->tasks().wait_empty(deadline);
    co_await loop.retiring.wait_empty(deadline);
    if (--draining == 0) finish();
  });
}

// No client is left, nor work for one: the operators' connections, then the process.
void Process::Impl::finish() {
  per_loop[0]->control.spawn([this]() -> http::Task<void> {
    std::vector<http::Server*> servers;
    for (auto& server : admin_servers) servers.push_back(server.get());
    const auto deadline = steady_clock::now() + kLastAnswers;
    auto stopping = stop_all(per_loop[0]->control.executor(), std::move(servers), deadline);
    co_await std::move(stopping);
    loops.stop();
  });
}

// The sockets are nobody's to take any more; a successor that has them has the admin listener's too.
void Process::Impl::stop_offering(bool admin_too) {
  if (handover) handover->close();
  offered.clear();
  if (!admin_too) return;
  for (auto& server : admin_servers) {
    server->announce_close();
    server->stop_accepting();
  }
}

Process::Process(config::Settings settings, Load load)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(load))) {}

Process::~Process() = default;

void Process::run() {
  impl_->run();
}

}  // namespace tessera::proxy
