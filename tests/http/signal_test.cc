#include "http/signal.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "http/task_group.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using testing::Loops;
using testing::soon;

TEST(Signal, WaitingAfterSetReturnsAtOnce) {
  Loops loops;
  Signal signal;
  signal.set();
  bool result = false;
  auto run = [&]() -> Task<void> { result = co_await signal.wait(Deadline::min()); };
  loops.run(run);
  EXPECT_TRUE(result);
  EXPECT_TRUE(signal.is_set());
}

TEST(Signal, ADeadlineEndsTheWait) {
  Loops loops;
  const Signal signal;
  bool result = true;
  auto run = [&]() -> Task<void> { result = co_await signal.wait(std::chrono::steady_clock::now()); };
  loops.run(run);
  EXPECT_FALSE(result);
  EXPECT_FALSE(signal.is_set());
}

TEST(Signal, WakesWaitersOfEveryLoopOnTheirOwnThreads) {
  constexpr std::size_t kLoops = 3;
  Loops loops(kLoops);
  Signal signal;
  std::atomic<int> waiting = 0;
  std::atomic<int> woken = 0;
  std::atomic<int> strayed = 0;
  Signal all;
  auto wait = [&]() -> Task<void> {
    const auto thread = std::this_thread::get_id();
    ++waiting;
    const bool set = co_await signal.wait(kNoDeadline);
    if (std::this_thread::get_id() != thread) ++strayed;
    if (set && ++woken == 30) all.set();
  };
  std::vector<std::unique_ptr<TaskGroup>> groups;
  for (std::size_t loop = 0; loop < kLoops; ++loop) {
    groups.push_back(std::make_unique<TaskGroup>(loops.executor(loop)));
    for (int i = 0; i < 10; ++i) groups.back()->spawn(wait);
  }
  auto finish = [&]() -> Task<void> {
    const bool done = co_await all.wait(soon());
    EXPECT_TRUE(done);
  };
  while (waiting != 30) std::this_thread::yield();
  signal.set();
  loops.run(finish);
  EXPECT_EQ(woken, 30);
  EXPECT_EQ(strayed, 0);
}

TEST(Signal, SettingRacesWithWaitingAndNoWakeUpIsLost) {
  Loops loops(2);
  for (int round = 0; round < 500; ++round) {
    Signal signal;
    std::thread setter([&] { signal.set(); });
    bool result = false;
    auto run = [&]() -> Task<void> { result = co_await signal.wait(soon()); };
    loops.run(run, 1);
    setter.join();
    ASSERT_TRUE(result) << round;
  }
}

TEST(Signal, ACopyIsTheSameSignal) {
  Signal signal;
  const Signal copy = signal;
  signal.set();
  EXPECT_TRUE(copy.is_set());
}

TEST(Signal, SettingWithoutAWaiterThatHasLeftIsHarmless) {
  Loops loops;
  Signal signal;
  auto run = [&]() -> Task<void> { co_await signal.wait(std::chrono::steady_clock::now()); };
  loops.run(run);
  loops.stop();
  signal.set();
  EXPECT_TRUE(signal.is_set());
}

}  // namespace
}  // namespace tessera::http
