// Coroutines of one event loop that wait for something, each with its own deadline, woken first come, first
// served.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace tessera::cache::redis {

// A waiter that is destroyed or cancelled leaves the list, and passes on a wake-up that it has not seen. The
// list outlives its waiters.
class WaitList {
 public:
  explicit WaitList(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;

  // True when woken, false when the deadline passed first. Throws when the coroutine is cancelled.
  boost::asio::awaitable<bool> wait(std::chrono::steady_clock::time_point deadline);
  // Wakes the one that has waited longest, if any.
  void wake_one();
  void wake_all();

  std::size_t waiting() const { return waiters_.size(); }  // not woken yet
  std::size_t woken() const { return woken_; }             // woken, but not running yet

 private:
  struct Waiter;

  boost::asio::any_io_executor executor_;
  std::list<Waiter*> waiters_;
  std::size_t woken_ = 0;
};

}  // namespace tessera::cache::redis
