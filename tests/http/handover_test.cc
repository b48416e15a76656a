// Listening sockets on their way from one process to the next.
#include "http/handover.h"

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "http/inherited_sockets.h"
#include "http/listening_socket.h"
#include "tests/http/harness.h"
#include "tests/support/temporary.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using testing::soon;

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) >= 0;
}

TEST(ListeningSocket, ClosesADescriptorThatItRefuses) {
  const int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_THROW(ListeningSocket{none}, std::runtime_error);
  EXPECT_FALSE(is_open(none));
}

class HandoverTest : public ::testing::Test {
 protected:
  void start(std::chrono::milliseconds patience) {
    auto make = [this, patience]() -> Task<void> {
      handover_ = std::make_unique<Handover>(
          loops_.executor(), path(),
          [this] {
            return std::vector<std::pair<std::string, int>>{{"listen", socket_.descriptor()}};
          },
          [this] { taken_ = true; }, patience);
      handover_->start();
      co_return;
    };
    loops_.run(make);
  }
  void TearDown() override {
    auto end = [this]() -> Task<void> {
      handover_->close();
      co_return;
    };
    loops_.run(end);
    loops_.stop();
  }
  std::string path() const { return directory_.file("socket"); }
  template <class Condition>
  static bool becomes(Condition condition) {
    const auto until = soon();
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  test::TemporaryDirectory directory_;
  ListeningSocket socket_{Address{"127.0.0.1", 0}};
  std::atomic<bool> taken_{false};
  testing::Loops loops_;
  std::unique_ptr<Handover> handover_;
};

TEST_F(HandoverTest, WaitsNoLongerThanItsPatienceAndServesTheNext) {
  start(50ms);
  auto stuck = TakenOver::ask(path());
  ASSERT_TRUE(stuck);
  EXPECT_TRUE(becomes([&] { return stuck->given_up(); }));
  EXPECT_FALSE(taken_);
  // Until one is quick enough.
  EXPECT_TRUE(becomes([&] {
    auto next = TakenOver::ask(path());
    if (next) next->ready();
    return taken_.load();
  }));
}

TEST_F(HandoverTest, IsNotGivenUpWhileItIsWaitedFor) {
  start(1h);
  auto next = TakenOver::ask(path());
  ASSERT_TRUE(next);
  EXPECT_EQ(next->sockets.size(), 1u);
  EXPECT_FALSE(next->given_up());
  next->ready();
  EXPECT_TRUE(becomes([&] { return taken_.load(); }));
}

TEST_F(HandoverTest, LeavesNoSocketBehindWhenItIsClosedMeanwhile) {
  start(1h);
  const auto next = TakenOver::ask(path());
  ASSERT_TRUE(next);
  auto end = [this]() -> Task<void> {
    handover_->close();
    co_return;
  };
  loops_.run(end);
  // Whoever waits behind what close() has set going.
  loops_.run([]() -> Task<void> { co_return; });
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace tessera::http
