#include "http/client.h"

#include <atomic>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using testing::Listening;
using testing::Loops;
using testing::PieceSource;
using testing::Socket;
using testing::soon;

// What a test wants to know of an exchange.
struct Got {
  boost::system::error_code error;
  int status = 0;
  Fields fields;
  std::optional<std::uint64_t> length;
  std::string body;
  boost::system::error_code body_error;
};

// A client in front of a scripted origin: the script runs in the test's own thread or in one beside it.
class ClientTest : public ::testing::Test {
 protected:
  void make_client(unsigned short port, ClientOptions options = {}) {
    Origin origin;
    origin.host = "127.0.0.1";
    origin.port = port;
    client_ = std::make_unique<Client>(loops_.executor(), origin, options);
  }
  void SetUp() override { make_client(origin_.port()); }
  void TearDown() override {
    loops_.stop();
    client_.reset();
  }

  Got exchange(RequestHead head, BodySource* body = nullptr, Deadline deadline = soon()) {
    Got got;
    auto run = [&]() -> Task<void> {
      auto response = co_await client_->send(head, body, deadline);
      if (!response) {
        got.error = response.error();
        co_return;
      }
      got.status = response->head.status;
      got.fields = response->head.fields;
      got.length = response->body->length();
      const auto bytes = co_await read_all(*response->body, 10'000'000, deadline);
      if (bytes) got.body = *bytes;
      if (!bytes) got.body_error = bytes.error();
    };
    loops_.run(run);
    return got;
  }
  Got get(std::string target = "/", Deadline deadline = soon()) {
    RequestHead head;
    head.target = std::move(target);
    return exchange(head, nullptr, deadline);
  }

  // Answers the next request on a fresh connection and keeps it.
  std::future<Socket> answer_once(std::string reply) {
    return std::async(std::launch::async, [this, reply] {
      auto socket = origin_.accept();
      socket.read_until("\r\n\r\n");
      socket.send(reply);
      return socket;
    });
  }

  Loops loops_;
  Listening origin_;
  std::unique_ptr<Client> client_;
};

constexpr auto kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

TEST_F(ClientTest, SendsTheHeadWithHostAndWithoutHopByHopFields) {
  std::string seen;
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    seen = socket.read_until("\r\n\r\n");
    socket.send(kHello);
  });
  RequestHead head;
  head.target = "/a?b";
  head.fields.add("Accept", "x/y");
  head.fields.add("Connection", "X-Secret, close");
  head.fields.add("X-Secret", "1");
  head.fields.add("Keep-Alive", "5");
  head.fields.add("TE", "gzip");
  head.fields.add("Upgrade", "websocket");  // what is offered stands in head.upgrade
  head.fields.add("Expect", "100-continue");
  head.fields.add("Content-Length", "99");
  head.fields.add("Transfer-Encoding", "chunked");
  EXPECT_EQ(exchange(head).body, "hello");
  script.get();
  EXPECT_EQ(seen, "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(origin_.port()) +
                      "\r\nAccept: x/y\r\n\r\n");
}

TEST_F(ClientTest, KeepsTheHostThatItIsGiven) {
  std::string seen;
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    seen = socket.read_until("\r\n\r\n");
    socket.send(kHello);
  });
  RequestHead head;
  head.fields.add("A", "1");
  head.fields.add("Host", "api.example");
  EXPECT_EQ(exchange(head).status, 200);
  script.get();
  EXPECT_EQ(seen, "GET / HTTP/1.1\r\nHost: api.example\r\nA: 1\r\n\r\n");
}

TEST_F(ClientTest, RefusesALineThatWouldSplitTheRequest) {
  EXPECT_EQ(get("/a b").error, Error::malformed_message);
  EXPECT_EQ(get("/a\r\nX: y").error, Error::malformed_message);
  EXPECT_EQ(get("").error, Error::malformed_message);
}

TEST_F(ClientTest, TakesConnectionFieldsOutOfTheResponse) {
  auto script = answer_once(
      "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX-Kept: 2\r\n"
      "Trailer: T\r\nUpgrade: h2c\r\nProxy-Connection: x\r\nContent-Length: 5\r\n\r\nhello");
  const auto got = get();
  script.get();
  EXPECT_EQ(got.fields.size(), 1u);
  EXPECT_EQ(got.fields.get("X-Kept"), "2");
  EXPECT_EQ(got.length, 5u);
}

TEST_F(ClientTest, ReusesAConnectionAfterACompleteBody) {
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

TEST_F(ClientTest, AHeadResponseTellsALengthAndHasNoBody) {
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 890509\r\n\r\n");
    socket.read_until("\r\n\r\n");
    socket.send(kHello);
  });
  RequestHead head;
  head.method = "HEAD";
  Got first;
  auto run = [&]() -> Task<void> {
    auto response = co_await client_->send(head, nullptr, soon());
    first.length = response->body->length();
    char space[10];
    const auto read = co_await response->body->read_some(space, soon());
    EXPECT_TRUE(read && *read == 0);
  };
  loops_.run(run);
  EXPECT_EQ(first.length, 890'509u);
  EXPECT_EQ(get().body, "hello");
  script.get();
}

TEST_F(ClientTest, ReplacesAConnectionThatTheOriginHasClosed) {
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

TEST_F(ClientTest, RepeatsAnIdempotentRequestOnceWhenAKeptConnectionDies) {
  std::string last;
  auto script = std::async(std::launch::async, [&] { return close_on_second_request(origin_, last); });
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(get().body, "hello");
  EXPECT_EQ(script.get(), 3u);
}

TEST_F(ClientTest, NeverRepeatsAPost) {
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

TEST_F(ClientTest, TakesA408OnAKeptConnectionForItsEnd) {
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

TEST_F(ClientTest, PassesA408OnThatMayBeAboutThisRequest) {
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

TEST_F(ClientTest, DoesNotRepeatWhenAByteOfTheAnswerCame) {
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

TEST_F(ClientTest, AFreshConnectionThatDiesIsAnError) {
  auto script = std::async(std::launch::async, [&] { origin_.accept().read_until("\r\n\r\n"); });
  EXPECT_EQ(get().error, Error::closed);
  script.get();
}

TEST_F(ClientTest, OldIdleConnectionsAreNotReused) {
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

TEST_F(ClientTest, CloseIdleClosesWhatIsIdle) {
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

TEST_F(ClientTest, KeepsNoMoreIdleConnectionsThanAllowed) {
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

TEST_F(ClientTest, ABodyThatIsDroppedClosesItsConnection) {
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

TEST_F(ClientTest, BytesBehindTheBodyAreNeverTakenForAnAnswer) {
  auto first = answer_once(std::string(kHello) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
  EXPECT_EQ(get().body, "hello");
  auto second = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  EXPECT_TRUE(first.get().at_end());
  second.get();
}

TEST_F(ClientTest, SkipsInterimResponses) {
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" +
                std::string(kHello));
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext");
  });
  const auto got = get();
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "hello");
  EXPECT_FALSE(got.fields.has("Link"));
  EXPECT_EQ(get().body, "next");
  script.get();
}

TEST_F(ClientTest, EndlessInterimResponsesAreMalformed) {
  std::string replies;
  for (int i = 0; i < 100; ++i) replies += "HTTP/1.1 103 Early Hints\r\n\r\n";
  auto script = answer_once(replies);
  EXPECT_EQ(get().error, Error::malformed_message);
  script.get();
}

TEST_F(ClientTest, TruncatedBodiesAreIncomplete) {
  for (const std::string_view reply :
       {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"}) {
    auto script = std::async(std::launch::async, [&] {
      auto socket = origin_.accept();
      socket.read_until("\r\n\r\n");
      socket.send(reply);
    });
    const auto got = get();
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body_error, Error::incomplete_body) << reply;
    script.get();
  }
}

TEST_F(ClientTest, ABodyWithoutLengthEndsWithTheConnection) {
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.0 200 OK\r\n\r\nall of it");
  });
  const auto got = get();
  EXPECT_FALSE(got.length.has_value());
  EXPECT_EQ(got.body, "all of it");
  EXPECT_FALSE(got.body_error);
  script.get();
}

TEST_F(ClientTest, LargeBodiesArriveWhole) {
  const std::string body(3'000'000, 'b');
  auto known = answer_once("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + body);
  EXPECT_EQ(get().body, body);
  known.get().close();
  auto chunked =
      answer_once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n16E360\r\n" + body.substr(1'500'000) +
                  "\r\n16E360\r\n" + body.substr(1'500'000) + "\r\n0\r\n\r\n");
  EXPECT_EQ(get().body, body);
  chunked.get();
}

TEST_F(ClientTest, MalformedAndOversizeHeadsAreErrors) {
  const std::vector<std::pair<std::string, Error>> table = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
       Error::malformed_message},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", Error::malformed_message},
      {"HTTP/1.1 101 Switching Protocols\r\n\r\n", Error::malformed_message},
      {"nonsense\r\n\r\n", Error::malformed_message},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n", Error::head_too_large},
  };
  for (const auto& [reply, error] : table) {
    auto script = answer_once(reply);
    EXPECT_EQ(get().error, error) << reply.substr(0, 60);
    script.get();
  }
}

TEST_F(ClientTest, DeadlinesEndHeadAndBody) {
  auto silent = std::async(std::launch::async, [&] { return origin_.accept(); });
  EXPECT_EQ(get("/", std::chrono::steady_clock::now() + 30ms).error, Error::timeout);
  silent.get();
  auto slow = answer_once("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
  auto run = [&]() -> Task<void> {
    RequestHead head;
    auto response = co_await client_->send(head, nullptr, soon());
    const auto bytes = co_await read_all(*response->body, 100, std::chrono::steady_clock::now() + 30ms);
    EXPECT_EQ(bytes.error(), Error::timeout);
  };
  loops_.run(run);
  slow.get();
}

TEST_F(ClientTest, AnOriginThatIsNotThereIsNamedSo) {
  unsigned short port = 0;
  {
    const Listening gone;
    port = gone.port();
  }
  make_client(port);
  EXPECT_EQ(get().error, Error::connect_failed);
}

TEST_F(ClientTest, ANameWithoutAddressIsNamedSo) {
  Origin origin;
  origin.host = "no-such-host.invalid";
  client_ = std::make_unique<Client>(loops_.executor(), origin, ClientOptions{});
  EXPECT_EQ(get().error, Error::resolve_failed);
}

TEST_F(ClientTest, NamesAreResolvedAndEveryAddressTried) {
  Origin origin;
  origin.host = "localhost";  // often ::1 as well, where nobody listens
  origin.port = origin_.port();
  client_ = std::make_unique<Client>(loops_.executor(), origin, ClientOptions{});
  auto script = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");
  script.get();
}

TEST_F(ClientTest, SendsABodyOfKnownLengthAndOneOfUnknown) {
  std::string known;
  std::string chunked;
  auto script = std::async(std::launch::async, [&] {
    auto socket = origin_.accept();
    known = socket.read_until("\r\n\r\n");
    known += socket.read_exactly(5);
    socket.send(kHello);
    chunked = socket.read_until("0\r\n\r\n");
    socket.send(kHello);
  });
  RequestHead head;
  head.method = "POST";
  PieceSource with_length({"ab", "cde"}, 5);
  EXPECT_EQ(exchange(head, &with_length).body, "hello");
  PieceSource without({"ab", "cde"});
  EXPECT_EQ(exchange(head, &without).body, "hello");
  script.get();
  EXPECT_NE(known.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(known.ends_with("\r\n\r\nabcde"));
  EXPECT_NE(chunked.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_TRUE(chunked.ends_with("\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"));
}

TEST_F(ClientTest, ARequestBodyThatFailsNeverLooksComplete) {
  std::string seen;
  auto script = std::async(std::launch::async, [&] { seen = origin_.accept().read_to_end(); });
  RequestHead head;
  head.method = "PUT";
  PieceSource source({"ab"}, std::nullopt, make_error_code(Error::incomplete_body));
  EXPECT_EQ(exchange(head, &source).error, Error::incomplete_body);
  script.get();
  EXPECT_TRUE(seen.ends_with("\r\n\r\n2\r\nab\r\n")) << seen;
}

// An endless body: only an early answer ends the exchange.
class Endless : public BodySource {
 public:
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline) override {
    std::fill(space.begin(), space.end(), 'e');
    co_return space.size();
  }
};

TEST_F(ClientTest, AnEarlyAnswerEndsTheSendingAndTheConnection) {
  auto script = answer_once("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
  RequestHead head;
  head.method = "POST";
  Endless body;
  const auto got = exchange(head, &body);
  EXPECT_EQ(got.status, 413);
  EXPECT_EQ(got.body, "big");
  auto second = answer_once(kHello);
  EXPECT_EQ(get().body, "hello");  // on another connection: the script accepts it
  script.get();
  second.get();
}

TEST_F(ClientTest, ABodyMayOutliveItsClient) {
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
