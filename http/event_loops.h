// One event loop (io_context) per core (cores.h), each with its own thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "http/task.h"

namespace tessera::http {

class EventLoops {
 public:
  // How a loop without work waits. Busy polling looks for a while before it sleeps, as long as work keeps
  // coming that soon: most of a short exchange over loopback is waking up.
  enum class Waiting { asleep, busy_polling };

  // `count` of 0: one per core.
  explicit EventLoops(std::size_t count, Waiting waiting = Waiting::asleep);
  ~EventLoops();  // stops and joins
  EventLoops(const EventLoops&) = delete;
  EventLoops& operator=(const EventLoops&) = delete;

  std::size_t size() const;
  boost::asio::any_io_executor executor(std::size_t index) const;

  // Calls `on_signal` (on loop 0) for each SIGTERM or SIGINT.
  void on_termination(std::function<void()> on_signal);
  // Calls `on_signal` (on loop 0) for each of that signal; once for a signal.
  void on_signal(int number, std::function<void()> on_signal);

  // Runs all loops; returns after stop(). The caller's thread runs loop 0.
  void run();
  void stop();  // thread-safe

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::http
