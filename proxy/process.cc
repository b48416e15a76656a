// Invariants. An event loop's service is swapped on that loop, and a request takes the one of its moment
// along (Request::owner). The last request of a service that was replaced lets it go; it is then destroyed on
// its loop once its background work has ended. A reload is a task of the process: whoever asked for it may be
// cancelled at any time and waits for its result only.
#include "proxy/process.h"

#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "proxy/process_impl.h"
#include "proxy/tls_setup.h"

namespace tessera::proxy {

namespace {

http::EventLoops::Waiting waiting_of(const config::Settings& settings) {
  using Waiting = http::EventLoops::Waiting;
  return settings.listen.busy_poll ? Waiting::busy_polling : Waiting::asleep;
}

}  // namespace

Process::Impl::Impl(config::Settings settings, Load again)
    : load(std::move(again)),
      lasting(std::make_unique<Lasting>(settings)),
      loops(settings.listen.threads, waiting_of(settings)) {
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

void Process::Impl::make_servers() {
  const config::Settings& settings = current->settings();
  auto tls = make_server_tls(settings.tls);
  sockets = open_listeners(settings, loops.size());
  admin_sockets = sockets.admin.size();
  const ListenerOptions options =
      listener_options(settings, loops.size(), admin_sockets, std::move(tls), counts);
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
  const std::runtime_error too_late(
      "the process that handed over its sockets has waited too long and goes on");
  if (sockets.from && sockets.from->given_up()) throw too_late;
  for (auto& loop : per_loop) {
    for (http::Server* server : loop->all_servers()) server->start();
  }
  for (auto& server : admin_servers) server->start();
  make_handover();
  ready = true;
  if (sockets.from && !sockets.from->ready()) throw too_late;
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

Process::Process(config::Settings settings, Load load)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(load))) {}

Process::~Process() = default;

void Process::run() {
  impl_->run();
}

}  // namespace tessera::proxy
