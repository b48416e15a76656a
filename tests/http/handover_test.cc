// Listening sockets on their way from one process to the next.
#include "http/handover.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "http/inherited_sockets.h"
#include "http/listening_socket.h"
#include "tests/http/harness.h"
#include "tests/support/becomes.h"
#include "tests/support/temporary.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) >= 0;
}

TEST(ListeningSocket, ClosesADescriptorThatItRefuses) {
  const int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_THROW(ListeningSocket{none}, std::runtime_error);
  EXPECT_FALSE(is_open(none));
}

using test::becomes;

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
  EXPECT_FALSE(stuck->ready(0ms));
  EXPECT_FALSE(taken_);
  // Until one is quick enough.
  EXPECT_TRUE(becomes([&] {
    auto next = TakenOver::ask(path());
    return next && next->ready();
  }));
  EXPECT_TRUE(becomes([&] { return taken_.load(); }));
}

TEST_F(HandoverTest, IsNotGivenUpWhileItIsWaitedFor) {
  start(1h);
  auto next = TakenOver::ask(path());
  ASSERT_TRUE(next);
  EXPECT_EQ(next->sockets.size(), 1u);
  EXPECT_FALSE(next->given_up());
  EXPECT_TRUE(next->ready());
  EXPECT_TRUE(becomes([&] { return taken_.load(); }));
}

// A socket where nobody accepts, as of a process that is frozen.
class Frozen : public ::testing::Test {
 protected:
  void SetUp() override {
    path().copy(address_.sun_path, sizeof address_.sun_path - 1);
    ASSERT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
    ASSERT_EQ(::listen(listening_, 1), 0);
  }
  void TearDown() override {
    for (const int channel : queued_) ::close(channel);
    ::close(listening_);
  }
  // Until nobody else finds a place in the queue.
  void fill_queue() {
    int result = 0;
    while (result == 0) {
      queued_.push_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      result = ::connect(queued_.back(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_);
    }
    ASSERT_EQ(errno, EAGAIN);
  }
  std::string path() const { return directory_.file("socket"); }

 private:
  test::TemporaryDirectory directory_;
  sockaddr_un address_{.sun_family = AF_UNIX, .sun_path = {}};
  const int listening_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  std::vector<int> queued_;
};

TEST_F(Frozen, IsNotWaitedForLongerThanTheLimit) {
  EXPECT_THROW(TakenOver::ask(path(), 10ms), std::runtime_error);
}

TEST_F(Frozen, IsNotWaitedForInAQueueThatIsFull) {
  fill_queue();
  EXPECT_THROW(TakenOver::ask(path(), 10ms), std::runtime_error);
}

TEST_F(Frozen, IsNamedInTheLogOnce) {
  const auto before = spdlog::default_logger();
  std::ostringstream log;
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  EXPECT_THROW(TakenOver::ask(path(), 1100ms), std::runtime_error);
  spdlog::set_default_logger(before);
  const std::string text = log.str();
  const auto first = text.find(path() + " does not answer yet");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("does not answer yet", first + path().size() + 2), std::string::npos) << text;
}

// A process that hands over to another successor leaves the others in its queue; the path is that successor's
// by then.
TEST_F(HandoverTest, AsksWhoeverIsThereOnceTheFirstHasEnded) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path().copy(address.sun_path, sizeof address.sun_path - 1);
  const int listening = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  std::thread first([&] {
    const int asker = ::accept(listening, nullptr, nullptr);
    start(1h);
    ::close(asker);
    ::close(listening);
  });
  const auto next = TakenOver::ask(path());
  first.join();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->sockets.size(), 1u);
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
