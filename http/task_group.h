// Spawned coroutines, counted, so that a shutdown can wait for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "http/task.h"

namespace tessera::http {

// Belongs to one event loop. An exception that leaves a coroutine is logged and ends that coroutine only.
class TaskGroup {
 public:
  explicit TaskGroup(boost::asio::any_io_executor executor);
  ~TaskGroup();  // REQUIRED: empty, or the event loop no longer runs
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  boost::asio::any_io_executor executor() const;
  // The function object is kept until its coroutine ends: captures are safe. Safe from any thread.
  void spawn(std::function<Task<void>()> function);
  std::size_t running() const;
  // True when the group became empty before the deadline.
  Task<bool> wait_empty(Deadline deadline);
  // Asks every running coroutine to end (terminal cancellation).
  void cancel();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Resumes after the deadline.
Task<void> sleep_until(Deadline deadline);

}  // namespace tessera::http
