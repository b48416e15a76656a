// Spawned coroutines, counted, so that a shutdown can wait for them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "http/task.h"

namespace boost::asio {
class cancellation_signal;
}

namespace tessera::http {

// Ends one coroutine: what it waits for ends, and its next wait throws (terminal cancellation). A copy refers
// to the same coroutine. Used on that coroutine's event loop only.
class Cancellation {
 public:
  Cancellation();
  // Does nothing before the coroutine has begun, and nothing once it has ended.
  void request() const;

 private:
  friend class TaskGroup;
  std::shared_ptr<boost::asio::cancellation_signal> signal_;
};

// Belongs to one event loop. An exception that leaves a coroutine is logged and ends that coroutine only.
class TaskGroup {
 public:
  explicit TaskGroup(boost::asio::any_io_executor executor);
  ~TaskGroup();  // REQUIRED: empty, or the event loop no longer runs
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  boost::asio::any_io_executor executor() const;
  // The function object is kept until its coroutine ends: captures are safe. Safe from any thread; on the
  // group's own loop the coroutine may run, even to its end, before this returns, so hold no lock.
  // `cancellation`, used for no other coroutine, ends this one alone.
  void spawn(std::function<Task<void>()> function, Cancellation cancellation = {});
  std::size_t running() const;
  // True when the group became empty before the deadline.
  Task<bool> wait_empty(Deadline deadline);
  // Asks every running coroutine to end.
  void cancel();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Resumes after the deadline.
Task<void> sleep_until(Deadline deadline);

}  // namespace tessera::http
