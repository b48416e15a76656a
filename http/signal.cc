#include "http/signal.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tessera::http {
namespace {

namespace asio = boost::asio;

// Lives as long as its wait(), or as a wake-up that is on its way to the loop.
struct Waiter {
  explicit Waiter(const asio::any_io_executor& executor) : timer(executor) {}
  asio::steady_timer timer;
};

}  // namespace

struct Signal::State {
  std::mutex mutex;
  bool set = false;                              // protected by mutex
  std::vector<std::shared_ptr<Waiter>> waiters;  // protected by mutex
};

namespace {

// Takes the waiter off the list however wait() ends, so that no timer outlives its event loop.
template <class State>
class Registration {
 public:
  Registration(State& state, std::shared_ptr<Waiter> waiter) : state_(state), waiter_(std::move(waiter)) {}
  ~Registration() {
    const std::lock_guard lock(state_.mutex);
    std::erase(state_.waiters, waiter_);
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  State& state_;
  std::shared_ptr<Waiter> waiter_;
};

}  // namespace

Signal::Signal() : state_(std::make_shared<State>()) {}

void Signal::set() {
  std::vector<std::shared_ptr<Waiter>> woken;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->set) return;
    state_->set = true;
    woken.swap(state_->waiters);
  }
  for (auto& waiter : woken) {
    // The waiting coroutine is suspended before its loop runs this: both are on that loop. It goes on when
    // the loop comes to it, not in here.
    const auto executor = waiter->timer.get_executor();
    asio::dispatch(executor, [waiter = std::move(waiter)] { waiter->timer.cancel(); });
  }
}

bool Signal::is_set() const {
  const std::lock_guard lock(state_->mutex);
  return state_->set;
}

Task<bool> Signal::wait(Deadline deadline) const {
  const auto state = state_;
  if (is_set()) co_return true;
  auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
  waiter->timer.expires_at(deadline);
  {
    const std::lock_guard lock(state->mutex);
    if (state->set) co_return true;
    state->waiters.push_back(waiter);
  }
  const Registration<State> registration(*state, waiter);
  boost::system::error_code ignored;
  co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  const std::lock_guard lock(state->mutex);
  co_return state->set;
}

}  // namespace tessera::http
