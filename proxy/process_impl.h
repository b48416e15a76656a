// The inside of a Process, for the files that make it up (process*.cc), and for nobody else.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/event_loops.h"
#include "http/handover.h"
#include "http/server.h"
#include "http/signal.h"
#include "proxy/generation.h"
#include "proxy/listener_options.h"
#include "proxy/listeners.h"
#include "proxy/process.h"
#include "proxy/service.h"

namespace tessera::proxy {

using Faults = std::vector<std::string>;

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

// What no route saw is counted, and logged, by the service of that moment.
inline http::ServerOptions counting_refusals(http::ServerOptions options, Loop& loop) {
  options.on_refused = [&loop](const std::string& peer, int status) { loop.service->refused(peer, status); };
  return options;
}

struct Process::Impl {
  Impl(config::Settings settings, Load again);
  ~Impl();

  void run();

  // process.cc: what there is
  std::shared_ptr<Service> make_service(std::size_t loop, const std::shared_ptr<Generation>& generation);
  void make_servers();
  void serve_clients(std::vector<http::ListeningSocket>& from, const http::ServerOptions& options,
                     std::vector<std::unique_ptr<http::Server>> Loop::*servers);
  void make_handover();
  void on_every_loop(std::function<http::Task<void>(Loop&)> what);
  http::Task<void> wait_for_every_loop(std::function<void(std::size_t)> what);

  // process_reload.cc: other settings
  std::shared_ptr<ReloadResult> begin_reload();
  http::Task<Faults> wait_for_reload();
  http::Task<Faults> reload();
  http::Task<Faults> replace(config::Settings settings);
  void prepare(Change& change, std::size_t loop);
  void change_over(Change& change, std::size_t loop);
  void let_go(const std::shared_ptr<Service>& service, std::size_t loop);
  void report(const Faults& faults) const;

  // process_end.cc: the last requests
  void terminate(bool at_once);
  void drain(std::chrono::steady_clock::time_point accept_until, bool end_idle);
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
  ConnectionCounts counts;   // used on loop 0
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

}  // namespace tessera::proxy
