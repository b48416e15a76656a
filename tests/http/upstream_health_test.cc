// The active health checks of an upstream.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "http/upstream.h"
#include "tests/http/upstream_rig.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using State = OriginHealth::State;
using test::SeenRequest;
using testing::soon;
using testing::UpstreamTest;

class HealthCheckTest : public UpstreamTest {
 protected:
  static UpstreamOptions checking() {
    UpstreamOptions options;
    options.check.path = "/health?deep=1";
    options.check.interval = 5ms;
    options.check.timeout = 5s;
    return options;
  }
  // The first origin's health checks are answered with this status.
  void answer_checks() {
    origins_[0]->set_script([this](const SeenRequest& seen) {
      auto reply = test::json_reply("0");
      if (seen.target == "/health?deep=1") reply.status = status_;
      return reply;
    });
  }
  bool reaches(State wanted, std::size_t origin = 0) const {
    const auto until = soon();
    while (state(origin) != wanted && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return state(origin) == wanted;
  }

  std::atomic<int> status_{200};
};

TEST_F(HealthCheckTest, AnOriginIsLeftOutWhileItsChecksFail) {
  start(2, checking());
  answer_checks();
  status_ = 500;
  ASSERT_TRUE(reaches(State::unhealthy));
  EXPECT_EQ(shares(6), (std::vector<int>{0, 6}));
  status_ = 302;
  ASSERT_TRUE(reaches(State::up));
  EXPECT_EQ(shares(6), (std::vector<int>{3, 3}));
  EXPECT_EQ(state(1), State::up);
}

TEST_F(HealthCheckTest, AnOriginThatIsNotThereIsUnhealthy) {
  start(2, checking());
  origins_[0]->refuse();
  ASSERT_TRUE(reaches(State::unhealthy));
  origins_[0]->accept();
  ASSERT_TRUE(reaches(State::up));
}

TEST_F(HealthCheckTest, ChecksAreNoRequestsOfClients) {
  start(1, checking());
  ASSERT_TRUE(origins_[0]->wait_for_calls(test::Kind::collection, 3));
  EXPECT_EQ(counts(0).requests, 0u);
  const auto seen = origins_[0]->requests();
  EXPECT_EQ(seen.front().method, "GET");
  EXPECT_EQ(seen.front().target, "/health?deep=1");
  EXPECT_EQ("http://" + seen.front().field("Host"), origins_[0]->url());
}

TEST_F(HealthCheckTest, AllAreAskedWhenAllAreUnhealthy) {
  start(1, checking());
  answer_checks();
  status_ = 500;
  ASSERT_TRUE(reaches(State::unhealthy));
  EXPECT_EQ(shares(3), (std::vector<int>{3}));
}

TEST_F(HealthCheckTest, EndForAnUpstreamThatGivesWayToAnother) {
  start(2, checking());
  answer_checks();
  ASSERT_TRUE(origins_[0]->wait_for_calls(test::Kind::collection, 1));
  auto end = [this]() -> Task<void> {
    upstream_->end_checks();
    co_return;
  };
  loops_.run(end);
  status_ = 500;
  // Far longer than it takes three checks to fail.
  for (int i = 0; i < 100; ++i) shares(2);
  EXPECT_EQ(state(0), State::up);
  EXPECT_EQ(shares(6), (std::vector<int>{3, 3}));
}

}  // namespace
}  // namespace tessera::http
