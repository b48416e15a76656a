#include "http/upstream.h"

#include <future>
#include <memory>

#include <gtest/gtest.h>

#include "tests/http/upstream_rig.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using State = OriginHealth::State;
using test::ScriptedReply;
using test::SeenRequest;
using testing::PieceSource;
using testing::soon;
using testing::UpstreamTest;
using Shares = std::vector<int>;

ScriptedReply closing_reply() {
  ScriptedReply reply;
  reply.cut_after = 0;
  return reply;
}

ScriptedReply unavailable_reply(std::string retry_after) {
  ScriptedReply reply;
  reply.status = 503;
  reply.fields = {{"Retry-After", std::move(retry_after)}};
  return reply;
}

TEST_F(UpstreamTest, TakesTheOriginsInTurn) {
  start(3);
  EXPECT_EQ(shares(9), (Shares{3, 3, 3}));
}

TEST_F(UpstreamTest, PrefersTheOneWithTheFewestRequestsOut) {
  UpstreamOptions options;
  options.balance = Balance::least_connections;
  start(2, options);
  const auto gate = std::make_shared<test::Gate>();
  for (std::size_t i = 0; i < 2; ++i) {
    origins_[i]->set_script([gate, i](const SeenRequest& seen) {
      if (seen.target == "/slow") gate->pass();
      return test::json_reply(std::to_string(i));
    });
  }
  auto slow = std::async(std::launch::async, [&] { return get("/slow"); });
  ASSERT_TRUE(gate->wait_for_waiting(1));
  const bool first_is_busy = origins_[0]->calls() == 1;
  EXPECT_EQ(shares(4), first_is_busy ? (Shares{0, 4}) : (Shares{4, 0}));
  gate->open();
  EXPECT_EQ(slow.get().status, 200);
}

TEST_F(UpstreamTest, GoesOnToTheNextWhenOneCannotBeConnectedToWhateverTheMethod) {
  start(2);
  origins_[0]->refuse();
  for (int i = 0; i < 4; ++i) {
    RequestHead head;
    head.method = "POST";
    PieceSource body({"ab", "cde"}, 5);
    EXPECT_EQ(send(head, &body).body, "1");
  }
  const auto seen = origins_[1]->requests();
  ASSERT_EQ(seen.size(), 4u);
  for (const auto& request : seen) EXPECT_EQ(request.body, "abcde");
  EXPECT_GT(counts(0).faults[static_cast<std::size_t>(OriginFault::connect)], 0u);
}

TEST_F(UpstreamTest, NamesTheLastErrorWhenNoneCanBeConnectedTo) {
  start(2);
  for (auto& origin : origins_) origin->refuse();
  EXPECT_EQ(get().error, Error::connect_failed);
  for (auto& origin : origins_) origin->accept();
  EXPECT_EQ(get().status, 200);
}

TEST_F(UpstreamTest, DoesNotRepeatElsewhereWhatAnOriginMayHaveSeen) {
  start(2);
  for (auto& origin : origins_) origin->set_script([](const SeenRequest&) { return closing_reply(); });
  RequestHead head;
  head.method = "POST";
  PieceSource body({"x"}, 1);
  EXPECT_EQ(send(head, &body).error, Error::closed);
  EXPECT_EQ(origins_[0]->calls() + origins_[1]->calls(), 1u);
}

TEST_F(UpstreamTest, LeavesOutWhatFailsSeveralTimesInARow) {
  UpstreamOptions options;
  options.eject_after = 2;
  options.eject_time = 1h;
  start(2, options);
  origins_[0]->set_script([](const SeenRequest&) { return closing_reply(); });
  for (int i = 0; i < 4; ++i) get();
  EXPECT_EQ(state(0), State::ejected);
  EXPECT_EQ(group_->members[0].status->ejections(), 1u);
  EXPECT_EQ(shares(6), (Shares{0, 6}));
}

TEST_F(UpstreamTest, CountsOriginsThatDoNotAnswerInTime) {
  UpstreamOptions options;
  options.eject_after = 1;
  options.eject_time = 1h;
  start(2, options);
  const auto gate = std::make_shared<test::Gate>();
  origins_[0]->set_script([gate](const SeenRequest&) {
    gate->pass();
    return test::json_reply("0");
  });
  boost::system::error_code error;
  for (int i = 0; i < 2 && !error; ++i) error = get("/", std::chrono::steady_clock::now() + 50ms).error;
  EXPECT_EQ(error, Error::timeout);
  EXPECT_EQ(state(0), State::ejected);
  EXPECT_EQ(counts(0).faults[static_cast<std::size_t>(OriginFault::timeout)], 1u);
  EXPECT_EQ(shares(4), (Shares{0, 4}));
  gate->open();
}

TEST_F(UpstreamTest, AsksAnEjectedOriginAgainWhenItsTimeIsOver) {
  UpstreamOptions options;
  options.eject_after = 1;
  options.eject_time = 1ms;
  start(2, options);
  origins_[0]->set_script([](const SeenRequest&) { return closing_reply(); });
  for (int i = 0; i < 2; ++i) get();
  origins_[0]->set_script(number_reply(0));
  const auto until = soon();
  while (origins_[0]->calls() < 2 && std::chrono::steady_clock::now() < until) get();
  EXPECT_GE(origins_[0]->calls(), 2u);
}

// A request that may not be repeated meets the end of a connection that was kept.
TEST_F(UpstreamTest, DoesNotBlameAnOriginThatClosesAKeptConnection) {
  UpstreamOptions options;
  options.eject_after = 1;
  options.eject_time = 1h;
  start(2, options);
  EXPECT_EQ(shares(2), (Shares{1, 1}));
  origins_[0]->set_script([](const SeenRequest&) { return closing_reply(); });
  RequestHead post;
  post.method = "POST";
  int closed = 0;
  for (int i = 0; i < 2; ++i) closed += send(post).error == Error::closed ? 1 : 0;
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(state(0), State::up);
  EXPECT_EQ(counts(0).faults[static_cast<std::size_t>(OriginFault::closed)], 1u);
  // On a fresh connection it is a failure.
  for (int i = 0; i < 2; ++i) send(post);
  EXPECT_EQ(state(0), State::ejected);
}

// Failures and answers of other requests are counted while one is out.
TEST_F(UpstreamTest, JudgesAFailureByItsOwnNumber) {
  UpstreamOptions options;
  options.eject_after = 1;
  options.eject_time = 1h;
  start(2, options);
  const auto gate = std::make_shared<test::Gate>();  // the origin's thread may be in it to the end
  origins_[0]->set_script([gate](const SeenRequest& seen) {
    if (seen.target == "/slow") gate->pass();
    return seen.target == "/" ? test::json_reply("0") : closing_reply();
  });
  auto& other = group_->members[1].status->health();
  other.checked(false, 1, 1);  // all go to the first, and it is not left out
  EXPECT_EQ(get("/fail").error, Error::closed);
  auto slow = std::async(std::launch::async, [&] { return get("/slow"); });
  EXPECT_TRUE(gate->wait_for_waiting(1));
  EXPECT_EQ(get().status, 200);
  other.checked(true, 1, 1);
  gate->open();
  EXPECT_EQ(slow.get().error, Error::closed);
  EXPECT_EQ(state(0), State::ejected);
}

TEST_F(UpstreamTest, NeverLeavesOutTheLastOne) {
  UpstreamOptions options;
  options.eject_after = 1;
  options.eject_time = 1h;
  start(2, options);
  for (auto& origin : origins_) origin->set_script([](const SeenRequest&) { return closing_reply(); });
  for (int i = 0; i < 6; ++i) EXPECT_EQ(get().error, Error::closed);
  EXPECT_NE(state(0) == State::up, state(1) == State::up);
  for (std::size_t i = 0; i < 2; ++i) origins_[i]->set_script(number_reply(i));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(get().status, 200);
}

TEST_F(UpstreamTest, LetsAnOriginRestThatAsksForIt) {
  start(2);
  origins_[0]->set_script([](const SeenRequest&) { return unavailable_reply("30"); });
  int relayed = 0;
  for (int i = 0; i < 10; ++i) relayed += get().status == 503 ? 1 : 0;
  EXPECT_EQ(relayed, 1);
  EXPECT_EQ(state(0), State::resting);
  origins_[1]->set_script([](const SeenRequest&) { return unavailable_reply("30"); });
  EXPECT_EQ(get().status, 503);
  EXPECT_EQ(state(1), State::up);  // the last one
}

TEST_F(UpstreamTest, LetsASingleOriginNeverRest) {
  start(1);
  origins_[0]->set_script([](const SeenRequest&) { return unavailable_reply("30"); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get().status, 503);
  origins_[0]->set_script([](const SeenRequest&) { return closing_reply(); });
  for (int i = 0; i < 6; ++i) EXPECT_EQ(get().error, Error::closed);
  EXPECT_EQ(state(0), State::up);
}

TEST_F(UpstreamTest, RefusesAtOnceWhatWouldBeOneRequestTooMany) {
  UpstreamOptions options;
  options.max_requests = 2;
  start(2, options);
  auto run = [&]() -> Task<void> {
    RequestHead head;
    auto first = co_await upstream_->send(head, nullptr, soon());
    auto second = co_await upstream_->send(head, nullptr, soon());
    EXPECT_EQ(upstream_->out(), 2u);  // their bodies have not been read
    const auto third = co_await upstream_->send(head, nullptr, soon());
    EXPECT_EQ(third.has_error() ? third.error() : boost::system::error_code(), Error::overloaded);
    const auto bytes = co_await read_all(*first->body, 100, soon());
    EXPECT_TRUE(bytes.has_value());
    EXPECT_EQ(upstream_->out(), 1u);
    second->body.reset();
    EXPECT_EQ(upstream_->out(), 0u);
    const auto fourth = co_await upstream_->send(head, nullptr, soon());
    EXPECT_TRUE(fourth.has_value());
  };
  loops_.run(run);
  EXPECT_EQ(group_->overloads.load(), 1u);
  EXPECT_EQ(origins_[0]->calls() + origins_[1]->calls(), 3u);
}

TEST_F(UpstreamTest, CountsRequestsConnectionsAndFailuresOfEachOrigin) {
  start(1);
  for (int i = 0; i < 3; ++i) get();
  auto seen = counts(0);
  EXPECT_EQ(seen.requests, 3u);
  EXPECT_EQ(seen.connections_opened, 1u);
  EXPECT_EQ(seen.connections_reused, 2u);
  EXPECT_EQ(seen.connections_open, 1u);
  EXPECT_EQ(seen.connections_idle, 1u);
  origins_[0]->set_script([](const SeenRequest&) {
    ScriptedReply reply;
    reply.raw = "not http\r\n\r\n";
    return reply;
  });
  EXPECT_EQ(get().error, Error::malformed_message);
  seen = counts(0);
  EXPECT_EQ(seen.requests, 4u);
  EXPECT_EQ(seen.faults, (std::array<std::uint64_t, kOriginFaults>{0, 0, 0, 1}));
  EXPECT_EQ(seen.connections_open, 0u);
  EXPECT_EQ(seen.connections_idle, 0u);
}

TEST_F(UpstreamTest, DoesNotBlameAnOriginForTheClientsBody) {
  start(1);
  RequestHead head;
  head.method = "POST";
  PieceSource broken({"ab"}, 5, make_error_code(Error::closed));
  EXPECT_TRUE(send(head, &broken).error);
  EXPECT_EQ(counts(0).faults, (std::array<std::uint64_t, kOriginFaults>{}));
}

}  // namespace
}  // namespace tessera::http
