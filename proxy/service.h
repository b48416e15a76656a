// One event loop's part of a generation: its clients, its stores, its background work.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cache/tiered_store.h"
#include "http/task_group.h"
#include "http/upstream.h"
#include "proxy/admin.h"
#include "proxy/generation.h"
#include "proxy/purger.h"
#include "proxy/worker.h"

namespace tessera::proxy {

// What the admin listener can do to the process.
struct ProcessActions {
  std::function<bool()> ready;
  std::function<http::Task<std::vector<std::string>>()> reload;
};

// Made, used and destroyed on its event loop, or while that does not run. A request that it handles keeps it
// alive (Request::owner); background work does not. REQUIRED at its end: retire() has returned, or the loop
// no longer runs.
class Service {
 public:
  Service(boost::asio::any_io_executor executor, std::size_t index, std::shared_ptr<Generation> generation,
          const ProcessActions& actions);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  http::Task<http::Response> handle(http::Request& request);      // of a client
  http::Task<http::Response> administer(http::Request& request);  // of the admin listener
  void refused(const std::string& peer, int status) { generation_->router().refused(peer, status); }
  http::TaskGroup& tasks() { return tasks_; }
  // Another one has its place: it judges the origins no longer, and keeps no connection to them for later. As
  // requests that it still has give connections back, close_idle() is to be called again.
  void give_way();
  void close_idle() { origin_.close_idle(); }
  // Waits until its background work has ended, for good: what is to be destroyed next, while its loop runs.
  http::Task<void> retire();

 private:
  AdminActions admin_actions(const ProcessActions& actions);

  const std::shared_ptr<Generation> generation_;
  http::Upstream origin_;
  const std::unique_ptr<cache::RemoteStore> remote_;
  cache::TieredStore store_;
  http::TaskGroup tasks_;
  Worker worker_;
  Purger purger_;
  Admin admin_;
};

}  // namespace tessera::proxy
