// One event loop's share of the origin: its own connection to the database, its own listening socket.
#pragma once

#include <chrono>

#include <boost/asio/any_io_executor.hpp>

#include "http/server.h"
#include "http/task_group.h"
#include "origin/context.h"
#include "origin/database.h"
#include "origin/router.h"

namespace tessera::origin {

// What all workers share. Everything outlives them.
struct Shared {
  DatabaseFile& file;
  const Registry& registry;
  Statistics& statistics;
  json::Escape escape = json::Escape::html;
  std::chrono::microseconds render_cost{0};
};

// Made before the event loops run, and destroyed after. Requests are answered on the loop's thread without
// another thread's help: an answer waits for nothing but the database.
class Worker {
 public:
  // Listens at once. Throws std::runtime_error with a sentence. Several workers may listen on one address.
  Worker(boost::asio::any_io_executor executor, const http::Address& address, const Shared& shared);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  http::Address local_address() const { return server_.local_address(); }

  // Both from any thread.
  void start();
  // Lets running exchanges finish within `grace`, then calls `on_stopped` on the loop's thread.
  void stop(std::chrono::milliseconds grace, std::function<void()> on_stopped);

 private:
  http::Task<http::Response> answer(http::Request& request);

  Database database_;
  Router router_;
  http::TaskGroup tasks_;
  http::Server server_;
};

}  // namespace tessera::origin
