#include "http/event_loops.h"

#include <csignal>
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

TEST(EventLoops, EachTerminationSignalIsReported) {
  EventLoops loops(1);
  int count = 0;
  loops.on_termination([&] {
    if (++count == 2) loops.stop();
    if (count == 1) std::raise(SIGINT);
  });
  std::raise(SIGTERM);
  loops.run();
  EXPECT_EQ(count, 2);
}

TEST(EventLoops, StopFromAnotherThreadEndsRun) {
  EventLoops loops(2);
  std::thread stopper([&] { loops.stop(); });
  loops.run();
  stopper.join();
  EXPECT_EQ(loops.size(), 2u);
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
