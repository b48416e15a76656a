#include <atomic>
#include <chrono>
#include <future>
#include <mutex>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "http/task_group.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using testing::answer;
using testing::PieceSource;
using testing::soon;
using testing::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// Answers with method, target and body of the request.
Task<Response> echo(Request& request) {
  const auto body = co_await read_all(*request.body, 10'000'000, soon());
  if (!body) co_return problem(400, body.error().message());
  Response response;
  response.body = request.head.method + " " + request.head.target + " " + *body;
  co_return response;
}

// A handler that answers with what `make` returns.
Handler respond(std::function<Response()> make) {
  return [make = std::move(make)](Request&) -> Task<Response> { co_return make(); };
}

Response with_source(std::vector<std::string> pieces, std::optional<std::uint64_t> length = std::nullopt,
                     boost::system::error_code failure = {}) {
  Response response;
  response.body = std::make_unique<PieceSource>(std::move(pieces), length, failure);
  return response;
}

TEST(Server, KeepsAConnectionForManyRequests) {
  TestServer server(echo);
  auto socket = server.connect();
  for (int i = 0; i < 20; ++i) {
    const auto target = "/" + std::to_string(i);
    socket.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto response = socket.read_response();
    EXPECT_EQ(response.status(), 200);
    EXPECT_EQ(response.body, "GET " + target + " ");
    EXPECT_EQ(response.field("Connection"), "");
  }
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server(echo);
  auto socket = server.connect();
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    const auto text = std::to_string(i);
    if (i % 3 == 0) requests += "GET /" + text + " HTTP/1.1\r\nHost: a\r\n\r\n";
    if (i % 3 == 1) {
      requests += "POST /" + text + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(text.size()) +
                  "\r\n\r\n" + text;
    }
    if (i % 3 == 2) {
      requests +=
          "POST /" + text + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
    }
  }
  socket.send(requests);
  for (int i = 0; i < 50; ++i) {
    const auto text = std::to_string(i);
    const auto expected =
        i % 3 == 0 ? "GET /" + text + " " : "POST /" + text + " " + (i % 3 == 1 ? text : "x");
    EXPECT_EQ(socket.read_response().body, expected);
  }
}

TEST(Server, ASlowAnswerHoldsBackTheOnesBehindIt) {
  Signal go;
  auto handler = [&](Request& request) -> Task<Response> {
    if (request.head.target == "/slow") co_await go.wait(soon());
    if (request.head.target == "/release") go.set();
    Response response;
    response.body = request.head.target;
    co_return response;
  };
  TestServer server(handler);
  auto socket = server.connect();
  socket.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n");
  auto other = server.connect();
  other.send("GET /release HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(other.read_response().body, "/release");
  EXPECT_EQ(socket.read_response().body, "/slow");
  EXPECT_EQ(socket.read_response().body, "/fast");
}

TEST(Server, ClosesAfterAnHttp10Request) {
  TestServer server(answer("hello"));
  const auto reply = server.exchange("GET / HTTP/1.0\r\n\r\n");
  EXPECT_NE(reply.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_NE(reply.find("\r\nContent-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(reply.ends_with("\r\n\r\nhello"));
}

TEST(Server, KeepsAnHttp10ConnectionThatAsksForIt) {
  TestServer server(answer("hello"));
  auto socket = server.connect();
  for (int i = 0; i < 3; ++i) {
    socket.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: a\r\n\r\n");
    const auto response = socket.read_response();
    EXPECT_EQ(response.field("Connection"), "keep-alive");
    EXPECT_EQ(response.field("Content-Length"), "5");
    EXPECT_EQ(response.body, "hello");
  }
}

TEST(Server, ABodyOfUnknownLengthIsChunkedOrEndsWithTheConnection) {
  TestServer server(respond([] { return with_source({"ab", "cde"}); }));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto chunked = socket.read_response();
  EXPECT_EQ(chunked.field("Transfer-Encoding"), "chunked");
  EXPECT_EQ(chunked.field("Content-Length"), "");
  EXPECT_EQ(chunked.body, "abcde");
  EXPECT_TRUE(chunked.complete);
  const auto old = server.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(old.find("Transfer-Encoding"), std::string::npos);
  EXPECT_EQ(old.find("Content-Length"), std::string::npos);
  EXPECT_NE(old.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(old.ends_with("\r\n\r\nabcde"));
}

TEST(Server, ASourceOfKnownLengthHasContentLength) {
  TestServer server(respond([] { return with_source({"ab", "cde"}, 5); }));
  auto socket = server.connect();
  for (int i = 0; i < 2; ++i) {
    socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto response = socket.read_response();
    EXPECT_EQ(response.field("Content-Length"), "5");
    EXPECT_EQ(response.body, "abcde");
  }
}

TEST(Server, AnEmptySourceIsAnEmptyBody) {
  TestServer server(respond([] { return with_source({}, 0); }));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto response = socket.read_response();
  EXPECT_EQ(response.field("Content-Length"), "0");
  EXPECT_TRUE(response.complete);
}

TEST(Server, ABodyWhoseSourceFailsNeverLooksComplete) {
  const auto failure = make_error_code(Error::incomplete_body);
  TestServer chunked(respond([=] { return with_source({"ab"}, std::nullopt, failure); }));
  const auto cut = chunked.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(cut.ends_with("2\r\nab\r\n")) << cut;
  TestServer known(respond([=] { return with_source({"ab"}, 5, failure); }));
  const auto short_one = known.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(short_one.find("Content-Length: 5"), std::string::npos);
  EXPECT_TRUE(short_one.ends_with("\r\n\r\nab")) << short_one;
}

TEST(Server, ASourceThatBreaksItsPromiseClosesTheConnection) {
  TestServer less(respond([] { return with_source({"ab"}, 5); }));
  EXPECT_TRUE(less.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("\r\n\r\nab"));
  TestServer more(respond([] { return with_source({"ab", "cdefgh"}, 5); }));
  EXPECT_TRUE(more.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("\r\n\r\nab"));
}

TEST(Server, ASourceThatFailsAtOnceIsAnswered502) {
  const auto failure = make_error_code(Error::timeout);
  std::promise<Sent> report;
  std::atomic<int> refusals = 0;
  ServerOptions options;
  options.on_refused = [&](const std::string&, int) { ++refusals; };
  TestServer server(respond([&] {
                      auto response = with_source({}, 5, failure);
                      response.on_sent = [&](const Sent& sent) { report.set_value(sent); };
                      return response;
                    }),
                    options);
  EXPECT_TRUE(server.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 502 "));
  const Sent sent = report.get_future().get();
  EXPECT_EQ(sent.status, 502) << "what the client has seen";
  EXPECT_FALSE(sent.complete);
  EXPECT_EQ(refusals, 0) << "a handler has answered";
}

TEST(Server, HeadHasTheHeadOfGetAndNoBody) {
  Response (*makers[])() = {[] {
                              Response response;
                              response.body = std::string("hello");
                              return response;
                            },
                            [] {
                              return with_source({"he", "llo"}, 5);
                            },
                            [] {
                              Response response;
                              response.body = NoBody{5};
                              return response;
                            }};
  for (auto* make : makers) {
    TestServer server{respond(make)};
    auto socket = server.connect();
    socket.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(socket.read_response(true).field("Content-Length"), "5");
    EXPECT_EQ(socket.read_response(true).field("Content-Length"), "5");
  }
}

TEST(Server, StatusesWithoutBodyHaveNone) {
  for (const int status : {204, 304}) {
    TestServer server(respond([=] {
      Response response;
      response.head.status = status;
      response.body = std::string("not sent");
      return response;
    }));
    auto socket = server.connect();
    for (int i = 0; i < 2; ++i) {
      socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const auto response = socket.read_response();
      EXPECT_EQ(response.status(), status);
      EXPECT_EQ(response.field("Content-Length"), "");
    }
  }
}

TEST(Server, ANotModifiedTellsALengthWhenToldTo) {
  TestServer server(respond([] {
    Response response;
    response.head.status = 304;
    response.body = NoBody{890'509};
    return response;
  }));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(socket.read_response().field("Content-Length"), "890509");
}

TEST(Server, FramingFieldsOfAHandlerAreNotSent) {
  TestServer server(respond([] {
    Response response;
    response.head.fields.add("Content-Length", "3");
    response.head.fields.add("Transfer-Encoding", "chunked");
    response.head.fields.add("Connection", "upgrade");
    response.head.fields.add("X-Kept", "yes");
    response.body = std::string("hello");
    return response;
  }));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto response = socket.read_response();
  EXPECT_EQ(response.field("Content-Length"), "5");
  EXPECT_EQ(response.field("Transfer-Encoding"), "");
  EXPECT_EQ(response.field("Connection"), "");
  EXPECT_EQ(response.field("X-Kept"), "yes");
}

TEST(Server, AHandlerMayCloseTheConnection) {
  TestServer server(respond([] {
    Response response;
    response.head.fields.add("Connection", "close");
    return response;
  }));
  EXPECT_NE(server.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").find("Connection: close"),
            std::string::npos);
}

TEST(Server, DateIsAddedUnlessTheHandlerRelaysOne) {
  TestServer server(respond([] {
    Response response;
    response.head.fields.add("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
    return response;
  }));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto relayed = socket.read_response();
  EXPECT_EQ(relayed.field("Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(relayed.head.find("Date: "), relayed.head.rfind("Date: "));
  TestServer own(answer("x"));
  auto other = own.connect();
  other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(other.read_response().field("Date").ends_with(" GMT"));
}

TEST(Server, AHandlerThatThrowsIsAnswered500AndTheConnectionGoesOn) {
  auto handler = [](Request& request) -> Task<Response> {
    if (request.head.target == "/throw") throw std::runtime_error("a bug");
    co_return Response{};
  };
  TestServer server(handler);
  auto socket = server.connect();
  socket.send("GET /throw HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto failed = socket.read_response();
  EXPECT_EQ(failed.status(), 500);
  EXPECT_EQ(failed.field("Content-Type"), "application/problem+json");
  EXPECT_EQ(failed.body.find("a bug"), std::string::npos);
  EXPECT_EQ(socket.read_response().status(), 200);
}

TEST(Server, AStatusThatIsNoFinalOneIsAnswered500) {
  for (const int status : {0, 101, 1000}) {
    TestServer server(respond([=] {
      Response response;
      response.head.status = status;
      return response;
    }));
    EXPECT_TRUE(server.exchange("GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 500 ")) << status;
  }
}

TEST(Server, ALastAnswerSurvivesWhatTheClientStillSends) {
  TestServer server(answer("hello"));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + std::string(kGet) +
              std::string(100'000, 'x'));
  EXPECT_EQ(socket.read_response().body, "hello");
  EXPECT_TRUE(socket.at_end());
}

TEST(Server, TellsThePeersAddressAndArrival) {
  std::string peer;
  auto handler = [&](Request& request) -> Task<Response> {
    peer = request.peer_address;
    EXPECT_LE(request.arrived, std::chrono::steady_clock::now());
    EXPECT_GT(request.arrived, std::chrono::steady_clock::now() - testing::kPatience);
    co_return Response{};
  };
  TestServer server(handler);
  server.exchange("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(peer, "127.0.0.1");
}

TEST(Server, OnSentIsCalledOnceWithWhatWasSent) {
  std::promise<Sent> complete;
  std::promise<Sent> cut;
  auto handler = [&](Request& request) -> Task<Response> {
    const bool failing = request.head.target == "/cut";
    auto response = with_source({"hello"}, failing ? 9 : 5, make_error_code(Error::closed));
    if (!failing) response.body = std::string("hello");
    auto* report = failing ? &cut : &complete;
    response.on_sent = [report](const Sent& sent) { report->set_value(sent); };
    co_return response;
  };
  TestServer server(handler);
  server.exchange("GET / HTTP/1.0\r\n\r\n");
  const auto whole = complete.get_future().get();
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.body_bytes, 5u);
  EXPECT_GT(whole.elapsed.count(), 0);
  server.exchange("GET /cut HTTP/1.0\r\n\r\n");
  const auto part = cut.get_future().get();
  EXPECT_FALSE(part.complete);
  EXPECT_EQ(part.body_bytes, 5u);
}

TEST(Server, SharedBytesOfAnySizeArrive) {
  const auto body = std::make_shared<const std::string>(5'000'000, 'x');
  TestServer server(respond([=] {
    Response response;
    response.body = SharedBytes{body, *body};
    return response;
  }));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(socket.read_response().body, *body);
  EXPECT_EQ(socket.read_response().body, *body);
}

TEST(Server, ContinueIsSentWhenTheHandlerReads) {
  TestServer server(echo);
  auto socket = server.connect();
  socket.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(socket.read_response().head, "HTTP/1.1 100 Continue\r\n\r\n");
  socket.send("ab");
  EXPECT_EQ(socket.read_response().body, "POST / ab");
  socket.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(socket.read_response().body, "GET /next ");
}

TEST(Server, ABodyThatIsRefusedIsNotAskedFor) {
  TestServer server(respond([] { return problem(413, "Too large."); }));
  const auto reply =
      server.exchange("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 413 ")) << reply;
  EXPECT_NE(reply.find("Connection: close"), std::string::npos);
}

TEST(Server, ASmallUnreadBodyIsDropped) {
  TestServer server(answer("hello"));
  auto socket = server.connect();
  socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(socket.read_response().body, "hello");
  EXPECT_EQ(socket.read_response().body, "hello");
}

TEST(Server, ALargeUnreadBodyEndsTheConnectionButTheAnswerArrives) {
  TestServer server(respond([] { return problem(413, "Too large."); }));
  auto socket = server.connect();
  socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000000\r\n\r\n");
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 20; ++i) socket.send(piece);
  const auto response = socket.read_response();
  EXPECT_EQ(response.status(), 413);
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_TRUE(socket.at_end());
}

TEST(Server, ARequestBodyCanBeStreamedBack) {
  class Relay : public BodySource {
   public:
    explicit Relay(BodySource& from) : from_(from) {}
    std::optional<std::uint64_t> length() const override { return std::nullopt; }
    Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline) override {
      return from_.read_some(space, deadline);
    }

   private:
    BodySource& from_;
  };
  auto handler = [](Request& request) -> Task<Response> {
    Response response;
    response.body = std::make_unique<Relay>(*request.body);
    co_return response;
  };
  TestServer server(handler);
  auto socket = server.connect();
  const std::string body(300'000, 'z');
  socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" + body);
  EXPECT_EQ(socket.read_response().body, body);
  socket.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\ny");
  EXPECT_EQ(socket.read_response().body, "y");
}

TEST(Server, EmptyLinesBeforeARequestAreSkipped) {
  TestServer server(answer("hello"));
  auto socket = server.connect();
  socket.send("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(socket.read_response().body, "hello");
  EXPECT_EQ(socket.read_response().body, "hello");
}

}  // namespace
}  // namespace tessera::http
