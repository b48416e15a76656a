// How a process ends: after a signal, or when another one has taken its sockets over.
#include <algorithm>

#include <spdlog/spdlog.h>

#include "proxy/process_impl.h"

namespace tessera::proxy {
namespace {

using std::chrono::steady_clock;

// After the last client: an answer that says so to an operator.
constexpr config::Millis kLastAnswers{1'000};

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

}  // namespace

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

}  // namespace tessera::proxy
