#include "http/task_group.h"

#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using testing::Loops;
using testing::soon;

TEST(TaskGroup, CountsAndWaits) {
  Loops loops;
  TaskGroup group(loops.executor());
  Signal go;
  for (int i = 0; i < 3; ++i) {
    auto task = [go]() -> Task<void> { co_await go.wait(kNoDeadline); };
    group.spawn(task);
  }
  EXPECT_EQ(group.running(), 3u);
  bool early = true;
  bool late = false;
  auto run = [&]() -> Task<void> {
    early = co_await group.wait_empty(std::chrono::steady_clock::now());
    go.set();
    late = co_await group.wait_empty(soon());
  };
  loops.run(run);
  EXPECT_FALSE(early);
  EXPECT_TRUE(late);
  EXPECT_EQ(group.running(), 0u);
}

TEST(TaskGroup, CapturesLiveAsLongAsTheirCoroutine) {
  Loops loops;
  TaskGroup group(loops.executor());
  Signal go;
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = held;
  int seen = 0;
  group.spawn([go, held = std::move(held), &seen]() -> Task<void> {
    co_await go.wait(kNoDeadline);
    seen = *held;
  });
  auto run = [&]() -> Task<void> {
    EXPECT_FALSE(watch.expired());
    go.set();
    co_await group.wait_empty(soon());
  };
  loops.run(run);
  EXPECT_EQ(seen, 7);
  EXPECT_TRUE(watch.expired());
}

TEST(TaskGroup, AnExceptionEndsOnlyItsOwnCoroutine) {
  Loops loops;
  TaskGroup group(loops.executor());
  Signal go;
  bool finished = false;
  group.spawn([]() -> Task<void> {
    throw std::runtime_error("a bug");
    co_return;
  });
  group.spawn([&, go]() -> Task<void> {
    co_await go.wait(kNoDeadline);
    finished = true;
  });
  auto run = [&]() -> Task<void> {
    go.set();
    co_await group.wait_empty(soon());
  };
  loops.run(run);
  EXPECT_TRUE(finished);
}

TEST(TaskGroup, CancelEndsWhatWaits) {
  Loops loops;
  TaskGroup group(loops.executor());
  const Signal never;
  bool continued = false;
  for (int i = 0; i < 3; ++i) {
    group.spawn([&, never]() -> Task<void> {
      co_await never.wait(kNoDeadline);
      co_await sleep_until(kNoDeadline);
      continued = true;
    });
  }
  bool empty = false;
  auto run = [&]() -> Task<void> {
    group.cancel();
    empty = co_await group.wait_empty(soon());
  };
  loops.run(run);
  EXPECT_TRUE(empty);
  EXPECT_FALSE(continued);
}

TEST(TaskGroup, AnEmptyGroupIsEmptyAtOnce) {
  Loops loops;
  TaskGroup group(loops.executor());
  bool empty = false;
  auto run = [&]() -> Task<void> { empty = co_await group.wait_empty(Deadline::min()); };
  loops.run(run);
  EXPECT_TRUE(empty);
}

TEST(SleepUntil, ResumesAfterTheDeadline) {
  Loops loops;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  std::chrono::steady_clock::time_point resumed;
  auto run = [&]() -> Task<void> {
    co_await sleep_until(deadline);
    resumed = std::chrono::steady_clock::now();
  };
  loops.run(run);
  EXPECT_GE(resumed, deadline);
}

}  // namespace
}  // namespace tessera::http
