#include "http/task_group.h"

#include <atomic>
#include <cassert>
#include <exception>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include "http/signal.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;

bool is_cancellation(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

void log_failure(const std::exception_ptr& failure) {
  if (!failure || is_cancellation(failure)) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    spdlog::error("a coroutine ended with an exception: {}", error.what());
  } catch (...) {
    spdlog::error("a coroutine ended with an exception of unknown type");
  }
}

}  // namespace

Cancellation::Cancellation() : signal_(std::make_shared<asio::cancellation_signal>()) {}

void Cancellation::request() const {
  signal_->emit(asio::cancellation_type::terminal);
}

// All members but `running` are used on the executor's event loop only.
struct TaskGroup::Impl : std::enable_shared_from_this<TaskGroup::Impl> {
  using Cancel = std::shared_ptr<asio::cancellation_signal>;

  explicit Impl(asio::any_io_executor on) : executor(std::move(on)) {}

  void start(std::function<Task<void>()> function, const Cancel& cancel) {
    cancels.insert(cancel);
    auto done = [self = shared_from_this(), cancel](const std::exception_ptr& failure) {
      log_failure(failure);
      self->end(cancel);
    };
    asio::co_spawn(executor, std::move(function),
                   asio::bind_cancellation_slot(cancel->slot(), std::move(done)));
  }

  void end(const Cancel& cancel) {
    cancels.erase(cancel);
    if (running.fetch_sub(1) != 1) return;
    for (auto& waiter : std::exchange(waiters, {})) waiter.set();
  }

  const asio::any_io_executor executor;
  std::atomic<std::size_t> running{0};
  std::unordered_set<Cancel> cancels;
  std::vector<Signal> waiters;
};

TaskGroup::TaskGroup(asio::any_io_executor executor) : impl_(std::make_shared<Impl>(std::move(executor))) {}
TaskGroup::~TaskGroup() = default;

asio::any_io_executor TaskGroup::executor() const {
  return impl_->executor;
}

void TaskGroup::spawn(std::function<Task<void>()> function, Cancellation cancellation) {
  impl_->running.fetch_add(1);
  auto begin = [impl = impl_, function = std::move(function), cancel = cancellation.signal_]() mutable {
    impl->start(std::move(function), cancel);
  };
  asio::dispatch(impl_->executor, std::move(begin));
}

std::size_t TaskGroup::running() const {
  return impl_->running.load();
}

Task<bool> TaskGroup::wait_empty(Deadline deadline) {
  const auto impl = impl_;
  while (impl->running.load() != 0) {
    Signal empty;
    impl->waiters.push_back(empty);
    if (!co_await empty.wait(deadline)) co_return impl->running.load() == 0;
  }
  co_return true;
}

void TaskGroup::cancel() {
  // A coroutine may end, and leave the set, while it is being cancelled.
  const std::vector<Impl::Cancel> all(impl_->cancels.begin(), impl_->cancels.end());
  for (const auto& cancel : all) cancel->emit(asio::cancellation_type::terminal);
}

Task<void> sleep_until(Deadline deadline) {
  asio::steady_timer timer(co_await asio::this_coro::executor, deadline);
  boost::system::error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

}  // namespace tessera::http
