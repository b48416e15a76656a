#include "http/event_loops.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sched.h>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "http/cores.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;

class Context : public asio::io_context {
 public:
  Context() : asio::io_context(1) {}  // one thread runs it; other threads may still post to it
  // Destroys what still waits, and keeps the context usable by destructors.
  void destroy_handlers() { shutdown(); }
};

struct Loop {
  Context context;
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
};

// The window of busy polling opens when work comes within it, and is halved each time that none does: an
// exchange with the origin is waited for awake, and a loop with little to do sleeps. As KVM polls before it
// halts (Documentation/virt/kvm/halt-polling.rst), for as long.
constexpr std::chrono::microseconds kLongestWindow{200};
constexpr std::chrono::microseconds kShortestWindow{10};

void run_busy_polling(asio::io_context& context) {
  using Clock = std::chrono::steady_clock;
  Clock::duration window{0};
  while (!context.stopped()) {
    context.poll();
    const auto begin = Clock::now();
    bool found = false;
    while (!found && Clock::now() - begin < window) {
      ::sched_yield();  // whoever makes the work may need this core
      found = context.poll() != 0;
    }
    if (!found) context.run_one();
    if (Clock::now() - begin <= kLongestWindow) {
      window = kLongestWindow;
    } else {
      window = window > kShortestWindow ? window / 2 : Clock::duration{0};
    }
  }
}

}  // namespace

struct EventLoops::Impl {
  struct Watch {
    Watch(asio::io_context& context, int number, std::function<void()> action)
        : signals(context, number), on_signal(std::move(action)) {}

    asio::signal_set signals;
    std::function<void()> on_signal;
  };

  void await_signal(Watch& watch) {
    watch.signals.async_wait([this, &watch](const boost::system::error_code& error, int) {
      if (error) return;
      watch.on_signal();
      await_signal(watch);
    });
  }

  void run(Loop& loop) const {
    if (waiting == Waiting::busy_polling) {
      run_busy_polling(loop.context);
    } else {
      loop.context.run();
    }
  }

  Waiting waiting = Waiting::asleep;
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<Watch>> watches;
};

EventLoops::EventLoops(std::size_t count, Waiting waiting) : impl_(std::make_unique<Impl>()) {
  impl_->waiting = waiting;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a log at its limit is an error to write, not the end
  if (count == 0) count = available_cores();
  for (std::size_t i = 0; i < count; ++i) impl_->loops.push_back(std::make_unique<Loop>());
}

EventLoops::~EventLoops() {
  stop();
  for (auto& thread : impl_->threads) thread.join();
  impl_->watches.clear();
  // What waits on one loop may own sockets and timers of another: all of it goes before the first context.
  for (auto& loop : impl_->loops) loop->context.destroy_handlers();
}

std::size_t EventLoops::size() const {
  return impl_->loops.size();
}

asio::any_io_executor EventLoops::executor(std::size_t index) const {
  return impl_->loops.at(index)->context.get_executor();
}

void EventLoops::on_termination(std::function<void()> on_signal) {
  this->on_signal(SIGTERM, on_signal);
  this->on_signal(SIGINT, std::move(on_signal));
}

void EventLoops::on_signal(int number, std::function<void()> on_signal) {
  auto& context = impl_->loops.front()->context;
  impl_->watches.push_back(std::make_unique<Impl::Watch>(context, number, std::move(on_signal)));
  impl_->await_signal(*impl_->watches.back());
}

void EventLoops::run() {
  for (std::size_t i = 1; i < impl_->loops.size(); ++i) {
    impl_->threads.emplace_back([this, &loop = *impl_->loops[i]] { impl_->run(loop); });
  }
  impl_->run(*impl_->loops.front());
  for (auto& thread : impl_->threads) thread.join();
  impl_->threads.clear();
}

void EventLoops::stop() {
  for (auto& loop : impl_->loops) loop->context.stop();
}

}  // namespace tessera::http
