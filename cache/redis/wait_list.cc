#include "cache/redis/wait_list.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace tessera::cache::redis {

namespace asio = boost::asio;

struct WaitList::Waiter {
  explicit Waiter(WaitList& in)
      : list(in), timer(in.executor_), position(in.waiters_.insert(in.waiters_.end(), this)) {}
  ~Waiter() {
    if (!is_woken) {
      list.waiters_.erase(position);
    } else if (!has_seen) {
      --list.woken_;
      list.wake_one();
    }
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  WaitList& list;
  asio::steady_timer timer;
  std::list<Waiter*>::iterator position;
  bool is_woken = false;
  bool has_seen = false;
};

asio::awaitable<bool> WaitList::wait(std::chrono::steady_clock::time_point deadline) {
  Waiter waiter(*this);
  waiter.timer.expires_at(deadline);
  const auto [error] = co_await waiter.timer.async_wait(asio::as_tuple(asio::use_awaitable));
  if (waiter.is_woken) {
    waiter.has_seen = true;
    --woken_;
    co_return true;
  }
  if (error) throw boost::system::system_error(error);
  co_return false;
}

void WaitList::wake_one() {
  if (waiters_.empty()) return;
  Waiter& waiter = *waiters_.front();
  waiters_.pop_front();
  waiter.is_woken = true;
  ++woken_;
  waiter.timer.cancel();
}

void WaitList::wake_all() {
  while (!waiters_.empty()) wake_one();
}

}  // namespace tessera::cache::redis
