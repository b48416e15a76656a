#include "http/event_loops.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "http/task_group.h"
#include "tests/http/harness.h"
#include "tests/support/becomes.h"

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

// 'R' for a thread that runs, 'S' for one that sleeps (proc_pid_stat(5)).
char state_of(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(") ");
  return name_end == std::string::npos ? '?' : text[name_end + 2];
}

TEST(EventLoops, BusyPollingSleepsWhenNothingComes) {
  EventLoops loops(1, EventLoops::Waiting::busy_polling);
  TaskGroup group(loops.executor(0));
  std::atomic<pid_t> thread{0};
  std::thread runner([&] {
    thread = ::gettid();
    loops.run();
  });
  std::atomic<int> done{0};
  for (int i = 1; i <= 100; ++i) {  // work that comes soon: the window opens
    group.spawn([&]() -> Task<void> {
      ++done;
      co_return;
    });
    EXPECT_TRUE(test::becomes([&] { return done == i; }));
  }
  EXPECT_TRUE(test::becomes([&] { return state_of(thread) == 'S'; }));
  loops.stop();
  runner.join();
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
