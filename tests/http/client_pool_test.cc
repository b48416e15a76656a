// Which connections a client keeps, and what it repeats on another one.
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/http/client_rig.h"
#include "tests/support/becomes.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using testing::ClientTest;
using testing::kHello;
using testing::Listening;
using testing::Socket;
using testing::soon;

class ClientPool : public ClientTest {};

TEST_F(ClientPool, ReusesAConnectionAfterACompleteBody) {
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    for (const auto* reply :
         {kHello, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
          "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
          kHello}) {
      if (socket.read_until("\r\n\r\n").empty()) return false;
      socket.send(reply);
    }
    return true;
  });
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(get().status, 204);
  EXPECT_EQ(get().status, 304);
  EXPECT_EQ(get().body, "hello");
  EXPECT_TRUE(script.get());
}

TEST_F(ClientPool, ReplacesAConnectionThatTheOriginHasClosed) {
  auto script = std::async(std::launch::async, [&] {
    for (int i = 0; i < 20; ++i) {
      auto socket = origin_.accept();
      socket.read_until("\r\n\r\n");
      socket.send(kHello);
    }
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get().body, "hello") << i;
  script.get();
}

// The origin closes only when the next request has come: the check before reuse cannot see it.
std::size_t close_on_second_request(Listening& origin, std::string& last) {
  std::size_t requests = 1;
  {
    auto socket = origin.accept();
    socket.read_until("\r\n\r\n");
    socket.send(kHello);
    last = socket.read_until("\r\n\r\n");
    ++requests;
  }
  auto socket = origin.accept();
  const auto third = socket.read_until("\r\n\r\n");
  if (!third.empty()) ++requests;
  socket.send(kHello);
  return requests;
}

TEST_F(ClientPool, RepeatsAnIdempotentRequestOnceWhenAKeptConnectionDies) {
  std::string last;
  auto script = std::async(std::launch::async, [&] { return close_on_second_request(origin_, last); });
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(script.get(), 3u);
}

TEST_F(ClientPool, NeverRepeatsAPost) {
  std::string last;
  auto script = std::async(std::launch::async, [&] { return close_on_second_request(origin_, last); });
  EXPECT_EQ(get().body, "hello");
  RequestHead head;
  head.method = "POST";
  EXPECT_EQ(exchange(head).error, Error::closed);
  Socket::connect(origin_.port()).close();  // lets the script's last accept end
  EXPECT_EQ(script.get(), 2u);
  EXPECT_NE(last.find("Content-Length: 0"), std::string::npos);
}

constexpr std::string_view kLate =
    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

TEST_F(ClientPool, TakesA408OnAKeptConnectionForItsEnd) {
  auto script = std::async(std::launch::async, [&] {
    {
      auto socket = origin_.accept();
      socket.read_until("\r\n\r\n");
      socket.send(kHello);
      socket.read_until("\r\n\r\n");
      socket.send(kLate);
    }
    auto socket = origin_.accept();
    socket.read_until("\r\n\r\n");
    socket.send(kHello);
  });
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(get().body, "hello");
  script.get();
}

TEST_F(ClientPool, PassesA408OnThatMayBeAboutThisRequest) {
  auto fresh = answer_once(std::string(kLate));
  EXPECT_EQ(get().status, 408);
  fresh.get();
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    socket.read_until("\r\n\r\n");
    socket.send(kHello);
    socket.read_until("\r\n\r\n");
    socket.send(kLate);
  });
  EXPECT_EQ(get().body, "hello");
  RequestHead head;
  head.method = "POST";
  EXPECT_EQ(exchange(head).status, 408);
  script.get();
}

TEST_F(ClientPool, DoesNotRepeatWhenAByteOfTheAnswerCame) {
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    socket.read_until("\r\n\r\n");
    socket.send(kHello);
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 2");
  });
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(get().error, Error::closed);
  script.get();
}

TEST_F(ClientPool, AFreshConnectionThatDiesIsAnError) {
  auto script = std::async(std::launch::async, [&] { origin_.accept().read_until("\r\n\r\n"); });
  EXPECT_EQ(get().error, Error::closed);
  script.get();
}

TEST_F(ClientPool, OldIdleConnectionsAreNotReused) {
  ClientOptions options;
  options.idle_limit = 0ms;
  make_client(origin_.port(), options);
  auto first = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  auto kept = first.get();
  auto second = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  EXPECT_TRUE(kept.at_end());
  second.get();
}

TEST_F(ClientPool, ClosesWhatHasBeenIdleForTooLongWithoutARequest) {
  ClientOptions options;
  options.idle_limit = 1ms;
  make_client(origin_.port(), options);
  auto script = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  EXPECT_TRUE(script.get().at_end());
}

TEST_F(ClientPool, ClosesWhatTheOriginHasClosedWithoutARequest) {
  ClientOptions options;
  options.idle_limit = 1h;
  const auto status = std::make_shared<OriginStatus>("origin", 1, false);
  Origin origin;
  origin.host = "127.0.0.1";
  origin.port = origin_.port();
  client_ = std::make_unique<Client>(loops_.executor(), origin, options, status);
  auto first = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  auto kept = first.get();
  EXPECT_EQ(status->counts().connections_idle, 1u);
  kept.finish_sending();
  EXPECT_TRUE(kept.at_end());
  EXPECT_TRUE(test::becomes([&] { return status->counts().connections_open == 0; }));
  EXPECT_EQ(status->counts().connections_idle, 0u);
}

TEST_F(ClientPool, CloseIdleClosesWhatIsIdle) {
  auto script = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  auto kept = script.get();
  auto run = [&]() -> Task<void> {
    client_->close_idle();
    co_return;
  };
  loops_.run(run);
  EXPECT_TRUE(kept.at_end());
}

TEST_F(ClientPool, KeepsNoMoreIdleConnectionsThanAllowed) {
  ClientOptions options;
  options.max_idle = 1;
  make_client(origin_.port(), options);
  auto run = [&]() -> Task<void> {
    RequestHead head;
    auto first = co_await client_->send(head, nullptr, soon());
    auto second = co_await client_->send(head, nullptr, soon());
    co_await read_all(*first->body, 100, soon());
    co_await read_all(*second->body, 100, soon());
  };
  auto script = std::async(std::launch::async, [&] {
    std::vector<Socket> sockets;
    for (int i = 0; i < 2; ++i) {
      sockets.push_back(origin_.accept());
      sockets.back().read_until("\r\n\r\n");
      sockets.back().send(kHello);
    }
    return sockets;
  });
  loops_.run(run);
  auto sockets = script.get();
  EXPECT_TRUE(sockets.front().at_end());
}

TEST_F(ClientPool, ABodyThatIsDroppedClosesItsConnection) {
  auto script = answer_once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
  auto run = [&]() -> Task<void> {
    RequestHead head;
    auto response = co_await client_->send(head, nullptr, soon());
    char space[100];
    const auto read = co_await response->body->read_some(space, soon());
    EXPECT_TRUE(read && *read == 5);
  };
  loops_.run(run);
  EXPECT_TRUE(script.get().at_end());
}

TEST_F(ClientPool, BytesBehindTheBodyAreNeverTakenForAnAnswer) {
  auto first = answer_once(std::string(kHello) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
  EXPECT_EQ(get().body, "hello");
  auto second = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  EXPECT_TRUE(first.get().at_end());
  second.get();
}

TEST_F(ClientPool, ABodyMayOutliveItsClient) {
  auto script = answer_once(kHello);
  auto run = [&]() -> Task<void> {
    RequestHead head;
    auto response = co_await client_->send(head, nullptr, soon());
    client_.reset();
    const auto bytes = co_await read_all(*response->body, 100, soon());
    EXPECT_TRUE(bytes && *bytes == "hello");
  };
  loops_.run(run);
  EXPECT_TRUE(script.get().at_end());
}

}  // namespace
}  // namespace tessera::http
