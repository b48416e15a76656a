// A reload is a task of the process: whoever asked for it may be cancelled at any time and waits for its
// result only.
#include <algorithm>
#include <exception>

#include <spdlog/spdlog.h>

#include "proxy/process_impl.h"
#include "proxy/reload.h"
#include "proxy/tls_setup.h"

namespace tessera::proxy {
namespace {

using std::chrono::steady_clock;

// How often a service that was replaced, and still has requests, closes what they give back.
constexpr std::chrono::seconds kIdleRound{1};

}  // namespace

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
  if (change->is_good)
    change->options =
        listener_options(change->next->settings(), loops.size(), admin_sockets, std::move(tls), counts);
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

}  // namespace tessera::proxy
