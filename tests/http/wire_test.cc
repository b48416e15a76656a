// Interim responses, upgrades and trailers, as a server's handler and its client see them.
#include <future>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using testing::PieceSource;
using testing::soon;
using testing::TestServer;

ResponseHead interim(int status) {
  ResponseHead head;
  head.status = status;
  head.fields.set("Link", "</a>");
  head.fields.set("Connection", "X-Hop");
  head.fields.set("X-Hop", "1");
  return head;
}

Task<Response> answer_with_interim(Request& request) {
  for (const int status : {100, 101, 102, 103, 199, 200}) {
    const auto head = interim(status);
    if (request.interim) co_await request.interim(head);
  }
  Response response;
  response.body = std::string(request.interim ? "interim" : "none");
  co_return response;
}

TEST(Interim, ComesInOrderAheadOfTheFinalResponse) {
  TestServer server(answer_with_interim);
  auto client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_response().head, "HTTP/1.1 102 Processing\r\nLink: </a>\r\n\r\n");
  EXPECT_EQ(client.read_response().head, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  EXPECT_EQ(client.read_response().status(), 199);
  EXPECT_EQ(client.read_response().body, "interim");
}

TEST(Interim, IsNotForHttp10) {
  TestServer server(answer_with_interim);
  const auto reply = server.exchange("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 ")) << reply;
  EXPECT_TRUE(reply.ends_with("none")) << reply;
}

TEST(Interim, DoesNothingOnceTheFinalHeadIsThere) {
  class Late : public BodySource {
   public:
    explicit Late(InterimSink sink) : sink_(std::move(sink)) {}
    std::optional<std::uint64_t> length() const override { return std::nullopt; }
    Task<Result<std::size_t>> read_some(std::span<char>, Deadline) override {
      const auto head = interim(103);
      co_await sink_(head);
      co_return 0u;
    }

   private:
    InterimSink sink_;
  };
  auto handler = [](Request& request) -> Task<Response> {
    Response response;
    response.body = std::make_unique<Late>(request.interim);
    co_return response;
  };
  TestServer server(handler);
  auto client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto response = client.read_response();
  EXPECT_EQ(response.status(), 200);
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.body, "");
}

// Gives what was written back, until its writer is done.
class Echo final : public Duplex {
 public:
  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline) override {
    for (;;) {
      if (!held_.empty()) {
        const auto count = held_.copy(buffer.data(), buffer.size());
        held_.erase(0, count);
        co_return count;
      }
      if (closed_) co_return Error::cancelled;
      if (done_) co_return 0u;
      more_ = Signal();
      co_await more_.wait(soon());
    }
  }
  Task<Result<void>> write(std::string_view bytes, Deadline) override {
    held_ += bytes;
    more_.set();
    co_return Result<void>();
  }
  void shutdown_write() override {
    done_ = true;
    more_.set();
  }
  void close() override {
    closed_ = true;
    more_.set();
  }

 private:
  std::string held_;
  Signal more_;
  bool done_ = false;
  bool closed_ = false;
};

constexpr std::string_view kUpgrade =
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: echo\r\n\r\n";

Handler upgrading(std::function<void(const Sent&)> on_sent = {}) {
  return [on_sent](Request& request) -> Task<Response> {
    Response response;
    if (request.head.upgrade.empty()) {
      response.body = std::string("plain");
      co_return response;
    }
    response.head.status = 101;
    response.head.fields.set("Upgrade", request.head.upgrade);
    response.upgraded = std::make_unique<Echo>();
    response.on_sent = on_sent;
    co_return response;
  };
}

TEST(Upgrade, JoinsTheConnectionAndPassesHalfACloseOn) {
  std::promise<Sent> report;
  TestServer server(upgrading([&](const Sent& sent) { report.set_value(sent); }));
  auto client = server.connect();
  client.send(std::string(kUpgrade) + "first");
  const auto head = client.read_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\n")) << head;
  EXPECT_NE(head.find("\r\nConnection: Upgrade\r\n"), std::string::npos) << head;
  EXPECT_EQ(head.find("Content-Length"), std::string::npos) << head;
  EXPECT_EQ(client.read_exactly(5), "first");
  client.send("second");
  EXPECT_EQ(client.read_exactly(6), "second");
  client.send("last");
  client.finish_sending();
  EXPECT_EQ(client.read_to_end(), "last");
  const auto sent = report.get_future().get();
  EXPECT_TRUE(sent.complete);
  EXPECT_EQ(sent.body_bytes, 15u);
}

TEST(Upgrade, IsNoOfferWithoutConnectionOnHttp10WithABodyOrForHttpItself) {
  TestServer server(upgrading());
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (const std::string& request :
       {get + "Upgrade: echo\r\n\r\n", get + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        get + "Connection: Upgrade\r\nUpgrade: HTTP/2.0, TLS/1.0\r\n\r\n",
        get + "Connection: Upgrade\r\nUpgrade: echo\r\nContent-Length: 1\r\n\r\nx"}) {
    auto client = server.connect();
    client.send(request);
    EXPECT_EQ(client.read_response().body, "plain") << request;
  }
  const auto old =
      server.exchange("GET / HTTP/1.0\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  EXPECT_TRUE(old.ends_with("plain")) << old;
}

TEST(Upgrade, EndsAfterItsSilence) {
  ServerOptions options;
  options.tunnel_timeout = 50ms;
  TestServer server(upgrading(), options);
  auto client = server.connect();
  client.send(kUpgrade);
  client.read_until("\r\n\r\n");
  EXPECT_TRUE(client.at_end());
}

TEST(Upgrade, EndsWithTheServer) {
  TestServer server(upgrading());
  auto client = server.connect();
  client.send(std::string(kUpgrade) + "x");
  client.read_until("\r\n\r\n");
  EXPECT_EQ(client.read_exactly(1), "x");
  auto stop = [&]() -> Task<void> { co_await server.server().stop(20s); };
  server.loops().run(stop);
  EXPECT_TRUE(client.at_end());
}

// What the client of Client::send gets.
TEST(Upgrade, GivesTheClientTheConnectionWithWhatHasCome) {
  testing::Loops loops;
  testing::Listening origin;
  Client client(loops.executor(), {"http", "127.0.0.1", origin.port()}, {});
  std::promise<std::string> seen;
  std::thread peer([&] {
    auto socket = origin.accept();
    seen.set_value(socket.read_until("\r\n\r\n"));
    socket.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello");
    socket.send(socket.read_exactly(3));
    socket.at_end();
  });
  auto talk = [&]() -> Task<void> {
    RequestHead head;
    head.upgrade = "echo";
    auto answer = co_await client.send(head, nullptr, soon());
    EXPECT_TRUE(answer);
    if (!answer || !answer->upgraded) co_return;
    EXPECT_EQ(answer->head.status, 101);
    EXPECT_EQ(answer->head.fields.get("Upgrade"), "echo");
    char space[5];
    const auto first = co_await answer->upgraded->read_some(space, soon());
    EXPECT_EQ(std::string_view(space, first ? *first : 0), "hello");
    const auto written = co_await answer->upgraded->write("abc", soon());
    EXPECT_TRUE(written);
    const auto second = co_await answer->upgraded->read_some(space, soon());
    EXPECT_EQ(std::string_view(space, second ? *second : 0), "abc");
  };
  loops.run(talk);
  peer.join();
  const auto request = seen.get_future().get();
  EXPECT_NE(request.find("\r\nUpgrade: echo\r\nConnection: Upgrade\r\n"), std::string::npos) << request;
}

TEST(Upgrade, ToWhatWasNotOfferedIsMalformed) {
  testing::Loops loops;
  testing::Listening origin;
  Client client(loops.executor(), {"http", "127.0.0.1", origin.port()}, {});
  for (const std::string_view offer : {"", "echo"}) {
    std::thread peer([&] {
      auto socket = origin.accept();
      socket.read_until("\r\n\r\n");
      socket.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
    });
    auto talk = [&]() -> Task<void> {
      RequestHead head;
      head.upgrade = offer;
      const auto answer = co_await client.send(head, nullptr, soon());
      EXPECT_FALSE(answer);
      EXPECT_EQ(answer ? boost::system::error_code() : answer.error(), Error::malformed_message);
    };
    loops.run(talk);
    peer.join();
  }
}

class TrailingSource final : public PieceSource {
 public:
  TrailingSource() : PieceSource({"data"}) { fields_.set("X-Sum", "1"); }
  const Fields* trailers() const override { return &fields_; }

 private:
  Fields fields_;
};

TEST(Trailers, GoToAClientThatTakesThem) {
  auto handler = [](Request&) -> Task<Response> {
    Response response;
    response.body = std::make_unique<TrailingSource>();
    co_return response;
  };
  TestServer server(handler);
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close";
  const auto with = server.exchange(get + ", TE\r\nTE: trailers\r\n\r\n");
  EXPECT_TRUE(with.ends_with("\r\n\r\n4\r\ndata\r\n0\r\nX-Sum: 1\r\n\r\n")) << with;
  const auto without = server.exchange(get + "\r\n\r\n");
  EXPECT_TRUE(without.ends_with("\r\n\r\n4\r\ndata\r\n0\r\n\r\n")) << without;
  const auto old = server.exchange("GET / HTTP/1.0\r\nHost: a\r\nTE: trailers\r\n\r\n");
  EXPECT_TRUE(old.ends_with("\r\n\r\ndata")) << old;
}

TEST(Trailers, OfARequestAreThereAtItsEnd) {
  auto handler = [](Request& request) -> Task<Response> {
    const auto body = co_await read_all(*request.body, 100, soon());
    Response response;
    const auto* fields = request.body->trailers();
    response.body = (body ? *body : "?") + (fields ? std::string(fields->joined("X-Sum")) : "none");
    co_return response;
  };
  TestServer server(handler);
  auto client = server.connect();
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n=\r\n0\r\n";
  client.send(post + "X-Sum: 7\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_response().body, "=7");
  client.send(post + "\r\n");
  EXPECT_EQ(client.read_response().body, "=none");
}

}  // namespace
}  // namespace tessera::http
