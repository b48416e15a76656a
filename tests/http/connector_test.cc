#include "http/connector.h"

#include <atomic>
#include <future>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "http/client.h"
#include "http/signal.h"
#include "tests/http/harness.h"
#include "tests/support/black_hole.h"
#include "tests/support/temporary.h"
#include "tests/support/unix_listener.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using test::BlackHole;
using testing::Listening;
using testing::Loops;
using testing::Socket;
using testing::soon;
using Addresses = std::vector<std::string>;

// A name whose addresses the test decides about.
class NameTest : public ::testing::Test {
 protected:
  void TearDown() override { loops_.stop(); }

  Origin origin(unsigned short port) const {
    Origin origin;
    origin.host = "origin.test";
    origin.port = port;
    return origin;
  }
  ConnectorOptions options(std::chrono::milliseconds interval = 1h) {
    ConnectorOptions options;
    options.resolve_interval = interval;
    options.resolver = [this](std::string name) -> Task<Result<Addresses>> {
      EXPECT_EQ(name, "origin.test");
      ++resolved_;
      if (addresses_.empty()) co_return Error::resolve_failed;
      co_return addresses_;
    };
    return options;
  }
  void make_connector(unsigned short port) {
    connector_ = std::make_unique<Connector>(loops_.executor(), origin(port), options());
  }
  // The address that was connected to, or the error's text.
  std::string connect(Deadline deadline = soon()) {
    std::string got;
    auto run = [&]() -> Task<void> {
      const auto opened = co_await connector_->connect(deadline);
      got = opened ? opened->address : opened.error().message();
    };
    loops_.run(run);
    return got;
  }
  // Lets the interval pass, and waits for what is resolved then.
  void refresh() {
    auto run = [&]() -> Task<void> {
      const int before = resolved_;
      connector_->refresh(std::chrono::steady_clock::now() + 2h);
      const auto executor = co_await boost::asio::this_coro::executor;
      for (int i = 0; i < 100 && resolved_ == before; ++i) {
        co_await boost::asio::post(executor, boost::asio::use_awaitable);
      }
      co_await boost::asio::post(executor, boost::asio::use_awaitable);
    };
    loops_.run(run);
  }

  Addresses addresses_;  // of the name; empty: resolving fails
  int resolved_ = 0;
  Loops loops_;
  std::unique_ptr<Connector> connector_;
};

TEST_F(NameTest, IsResolvedOnceForManyConnections) {
  const Listening here;
  addresses_ = {"127.0.0.1"};
  make_connector(here.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(connect(), "127.0.0.1");
  EXPECT_EQ(resolved_, 1);
}

TEST_F(NameTest, HasAllItsAddressesTried) {
  const Listening here;
  addresses_ = {"127.0.0.2", "127.0.0.3", "127.0.0.1"};
  make_connector(here.port());
  EXPECT_EQ(connect(), "127.0.0.1");
  EXPECT_EQ(resolved_, 1);
}

TEST_F(NameTest, HasBothFamiliesTried) {
  const Listening here;
  addresses_ = {"::1", "127.0.0.1"};
  make_connector(here.port());
  EXPECT_EQ(connect(), "127.0.0.1");
}

TEST_F(NameTest, DoesNotWaitForAnAddressThatSwallowsPackets) {
  const Listening here;
  const BlackHole nowhere("127.0.0.2", here.port());
  addresses_ = {"127.0.0.2", "127.0.0.1"};
  make_connector(here.port());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(connect(), "127.0.0.1");
  EXPECT_LT(std::chrono::steady_clock::now() - start, testing::kPatience / 2);
}

TEST_F(NameTest, GivesEveryAddressItsShareOfAShortTime) {
  const Listening here;
  const BlackHole nowhere("127.0.0.2", here.port());
  const BlackHole nowhere_either("127.0.0.3", here.port());
  addresses_ = {"127.0.0.2", "127.0.0.3", "127.0.0.1"};
  make_connector(here.port());
  EXPECT_EQ(connect(std::chrono::steady_clock::now() + 300ms), "127.0.0.1");
}

TEST_F(NameTest, IsResolvedAgainWhenNoneOfItsAddressesAccepts) {
  const Listening here;
  addresses_ = {"127.0.0.2"};
  make_connector(here.port());
  EXPECT_EQ(connect(), make_error_code(Error::connect_failed).message());
  EXPECT_EQ(resolved_, 1);
  addresses_ = {"127.0.0.1"};
  EXPECT_EQ(connect(), "127.0.0.1");
  EXPECT_EQ(resolved_, 2);
}

TEST_F(NameTest, IsFollowedWithinOneCallWhenItHasMoved) {
  const Listening here;
  {
    const Listening before("127.0.0.2", here.port());
    addresses_ = {"127.0.0.2"};
    make_connector(here.port());
    EXPECT_EQ(connect(), "127.0.0.2");
  }
  addresses_ = {"127.0.0.1"};
  EXPECT_EQ(connect(), "127.0.0.1");
  EXPECT_EQ(resolved_, 2);
}

TEST_F(NameTest, IsResolvedAgainWhenItsIntervalIsOver) {
  const Listening here;
  addresses_ = {"127.0.0.1"};
  make_connector(here.port());
  EXPECT_EQ(connect(), "127.0.0.1");
  const auto generation = connector_->generation();
  refresh();
  EXPECT_EQ(resolved_, 2);
  EXPECT_EQ(connector_->generation(), generation);
  addresses_ = {"127.0.0.2"};
  refresh();
  EXPECT_NE(connector_->generation(), generation);
  EXPECT_FALSE(connector_->is_current("127.0.0.1"));
  EXPECT_TRUE(connector_->is_current("127.0.0.2"));
}

TEST_F(NameTest, KeepsItsAddressesWhileTheNameServerIsDown) {
  const Listening here;
  addresses_ = {"127.0.0.1"};
  make_connector(here.port());
  EXPECT_EQ(connect(), "127.0.0.1");
  addresses_ = {};
  refresh();
  EXPECT_EQ(resolved_, 2);
  EXPECT_EQ(connect(), "127.0.0.1");
}

TEST_F(NameTest, IsWaitedForNoLongerThanTheDeadline) {
  ConnectorOptions silent;
  const Signal never;
  silent.resolver = [never](std::string) -> Task<Result<Addresses>> {
    co_await never.wait(kNoDeadline);
    co_return Error::resolve_failed;
  };
  connector_ = std::make_unique<Connector>(loops_.executor(), origin(1), silent);
  EXPECT_EQ(connect(std::chrono::steady_clock::now() + 20ms), make_error_code(Error::timeout).message());
}

TEST_F(NameTest, ThatMovesTakesItsIdleConnectionsAlong) {
  Listening old_place;
  Listening new_place("127.0.0.2", old_place.port());
  constexpr auto kReply = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
  // Answers until the client closes.
  const auto serve = [&](Listening& place, std::string body) {
    auto socket = place.accept();
    while (socket.read_until("\r\n\r\n").ends_with("\r\n\r\n")) socket.send(kReply + body);
  };
  auto before = std::async(std::launch::async, [&] { serve(old_place, "old"); });
  auto after = std::async(std::launch::async, [&] { serve(new_place, "new"); });
  addresses_ = {"127.0.0.1"};
  ClientOptions with;
  with.names = options(0ms);
  auto client = std::make_unique<Client>(loops_.executor(), origin(old_place.port()), with);
  const auto get = [&] {
    std::string body;
    auto run = [&]() -> Task<void> {
      RequestHead head;
      auto response = co_await client->send(head, nullptr, soon());
      if (!response) co_return;
      const auto bytes = co_await read_all(*response->body, 100, soon());
      if (bytes) body = *bytes;
    };
    loops_.run(run);
    return body;
  };
  EXPECT_EQ(get(), "old");
  auto move = [&]() -> Task<void> {
    addresses_ = {"127.0.0.2"};
    co_return;
  };
  loops_.run(move);
  std::string body;
  for (int i = 0; i < 10 && body != "new"; ++i) body = get();
  EXPECT_EQ(body, "new");
  EXPECT_EQ(before.wait_for(testing::kPatience), std::future_status::ready);  // its connection was closed
  auto close = [&]() -> Task<void> {
    client->close_idle();
    co_return;
  };
  loops_.run(close);
  after.get();
  loops_.stop();
  client.reset();
}

TEST_F(NameTest, AConnectDeadlineIsKeptWhereNobodyAnswers) {
  const BlackHole nowhere;
  Origin literal;
  literal.host = "127.0.0.1";
  literal.port = nowhere.port();
  ClientOptions with;
  with.connect_timeout = 50ms;
  auto client = std::make_unique<Client>(loops_.executor(), literal, with);
  const auto error_by = [&](Deadline deadline) {
    boost::system::error_code error;
    auto run = [&]() -> Task<void> {
      RequestHead head;
      const auto response = co_await client->send(head, nullptr, deadline);
      if (!response) error = response.error();
    };
    loops_.run(run);
    return error;
  };
  EXPECT_EQ(error_by(soon()), Error::connect_failed);
  EXPECT_EQ(error_by(std::chrono::steady_clock::now() + 10ms), Error::timeout);
  loops_.stop();
  client.reset();
}

TEST(UnixSocket, IsAnOriginLikeAnother) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("origin.sock");
  const test::UnixListener listener(path);
  auto script = std::async(std::launch::async, [&] {
    Socket socket(listener.accept());
    std::string seen;
    for (int i = 0; i < 2; ++i) {
      seen += socket.read_until("\r\n\r\n");
      socket.send("HTTP/1.1 204 No Content\r\n\r\n");
    }
    return seen;
  });
  Loops loops;
  auto client = std::make_unique<Client>(loops.executor(), *parse_origin("unix://" + path), ClientOptions{});
  std::vector<int> statuses;
  auto run = [&]() -> Task<void> {
    RequestHead head;
    auto first = co_await client->send(head, nullptr, soon());
    if (first) statuses.push_back(first->head.status);
    head.fields.set("Host", "app.example");
    auto second = co_await client->send(head, nullptr, soon());
    if (second) statuses.push_back(second->head.status);
  };
  loops.run(run);
  const std::string seen = script.get();
  EXPECT_EQ(statuses, (std::vector<int>{204, 204}));
  EXPECT_NE(seen.find("Host: localhost\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("Host: app.example\r\n"), std::string::npos) << seen;
  loops.stop();
  client.reset();
}

}  // namespace
}  // namespace tessera::http
