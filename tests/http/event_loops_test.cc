#include "http/event_loops.h"

#include <chrono>
#include <csignal>
#include <ctime>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "http/task_group.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

TEST(EventLoops, EachLoopHasItsOwnThread) {
  testing::Loops loops(3);
  std::set<std::thread::id> threads;
  for (std::size_t i = 0; i < 3; ++i) {
    auto run = [&]() -> Task<void> {
      threads.insert(std::this_thread::get_id());
      co_return;
    };
    loops.run(run, i);
  }
  EXPECT_EQ(threads.size(), 3u);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST(EventLoops, ZeroMeansOnePerCore) {
  const EventLoops loops(0);
  EXPECT_GE(loops.size(), 1u);
}

class AnyWaiting : public ::testing::TestWithParam<EventLoops::Waiting> {};
INSTANTIATE_TEST_SUITE_P(EventLoops, AnyWaiting,
                         ::testing::Values(EventLoops::Waiting::asleep, EventLoops::Waiting::busy_polling));

TEST_P(AnyWaiting, EachTerminationSignalIsReported) {
  EventLoops loops(1, GetParam());
  int count = 0;
  loops.on_termination([&] {
    if (++count == 2) loops.stop();
    if (count == 1) std::raise(SIGINT);
  });
  std::raise(SIGTERM);
  loops.run();
  EXPECT_EQ(count, 2);
}

TEST_P(AnyWaiting, StopFromAnotherThreadEndsRun) {
  EventLoops loops(2, GetParam());
  std::thread stopper([&] { loops.stop(); });
  loops.run();
  stopper.join();
  EXPECT_EQ(loops.size(), 2u);
}

std::chrono::nanoseconds cpu_time_of_this_thread() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST(EventLoops, BusyPollingSleepsWhenNothingComes) {
  EventLoops loops(1, EventLoops::Waiting::busy_polling);
  TaskGroup group(loops.executor(0));
  std::chrono::nanoseconds spent{0};
  group.spawn([&]() -> Task<void> {
    const auto pause = [](std::chrono::microseconds time) {
      return sleep_until(std::chrono::steady_clock::now() + time);
    };
    for (int i = 0; i < 100; ++i) co_await pause(std::chrono::microseconds(20));  // the window opens
    const auto before = cpu_time_of_this_thread();
    co_await pause(std::chrono::milliseconds(300));
    spent = cpu_time_of_this_thread() - before;
    loops.stop();
  });
  loops.run();
  EXPECT_GT(spent.count(), 0);
  EXPECT_LT(spent, std::chrono::milliseconds(100));
}

TEST(EventLoops, CoroutinesThatStillWaitAreDestroyedWithTheLoops) {
  const auto held = std::make_shared<int>(0);
  {
    EventLoops loops(2);
    const Signal never;
    const auto deadline = kNoDeadline;
    TaskGroup group(loops.executor(0));
    group.spawn([held, never, deadline]() -> Task<void> { co_await never.wait(deadline); });
    std::thread stopper([&] {
      while (held.use_count() < 2) std::this_thread::yield();
      loops.stop();
    });
    loops.run();
    stopper.join();
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace tessera::http
