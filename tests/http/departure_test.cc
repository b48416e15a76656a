// Clients that leave, and requests that take too long, while a handler waits.
#include <atomic>
#include <future>
#include <optional>

#include <gtest/gtest.h>

#include "http/signal.h"
#include "http/task_group.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::kPatience;
using testing::soon;
using testing::TestServer;

constexpr std::string_view kWait = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";

// A handler that waits for a signal that never comes, and tells when it has been ended.
class Waiting {
 public:
  Task<Response> handle(Request& request) {
    struct End {
      Waiting& waiting;
      ~End() { waiting.ended_.set_value(steady_clock::now()); }
    };
    if (request.head.target == "/quick") co_return co_await quick();
    const End end{*this};
    entered_.set();
    co_await never_.wait(soon());
    co_return co_await quick();
  }

  void wait_for_entry(TestServer& server) {
    auto wait = [this]() -> Task<void> { co_await entered_.wait(soon()); };
    server.loops().run(wait);
  }
  // How long after `since` the handler was ended; kPatience when it was not.
  steady_clock::duration ended_after(steady_clock::time_point since) {
    auto end = ended_.get_future();
    if (end.wait_for(kPatience) != std::future_status::ready) return kPatience;
    return end.get() - since;
  }
  Handler handler() {
    return [this](Request& request) { return handle(request); };
  }

 private:
  static Task<Response> quick() {
    Response response;
    response.body = std::string("quick");
    co_return response;
  }

  Signal entered_;
  Signal never_;
  std::promise<steady_clock::time_point> ended_;
};

TEST(Departure, AClientThatClosesEndsItsHandlerWithinASecond) {
  Waiting waiting;
  TestServer server(waiting.handler());
  auto client = server.connect();
  client.send(kWait);
  waiting.wait_for_entry(server);
  const auto left = steady_clock::now();
  client.close();
  EXPECT_LT(waiting.ended_after(left), 1s);
}

TEST(Departure, AClientThatResetsEndsItsHandlerWithinASecond) {
  Waiting waiting;
  TestServer server(waiting.handler());
  auto client = server.connect();
  client.send(kWait);
  waiting.wait_for_entry(server);
  const auto left = steady_clock::now();
  client.reset();
  EXPECT_LT(waiting.ended_after(left), 1s);
}

TEST(Departure, ClosingOnesSideCountsAlsoBehindPipelinedRequests) {
  Waiting waiting;
  TestServer server(waiting.handler());
  auto client = server.connect();
  client.send(std::string(kWait) + "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  waiting.wait_for_entry(server);
  const auto left = steady_clock::now();
  client.send(std::string(100'000, 'x'));  // in the kernel, unread
  client.finish_sending();
  EXPECT_LT(waiting.ended_after(left), 1s);
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(Departure, NoticesTheExchangesOfLaterRequestsToo) {
  Waiting waiting;
  TestServer server(waiting.handler());
  auto client = server.connect();
  client.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_response().body, "quick");
  client.send(kWait);
  waiting.wait_for_entry(server);
  const auto left = steady_clock::now();
  client.close();
  EXPECT_LT(waiting.ended_after(left), 1s);
}

// A body that is still to be read comes before the end of the sending.
TEST(Departure, AClientWhoseBodyIsUnreadHasNotLeft) {
  Waiting leaver;
  Signal entered;
  Signal go;
  auto handler = [&](Request& request) -> Task<Response> {
    if (request.head.method == "GET") co_return co_await leaver.handle(request);
    entered.set();
    co_await go.wait(soon());
    const auto body = co_await read_all(*request.body, 100, soon());
    Response response;
    response.body = body ? *body : body.error().message();
    co_return response;
  };
  TestServer server(handler);
  auto uploading = server.connect();
  uploading.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
  uploading.finish_sending();
  auto wait = [&]() -> Task<void> { co_await entered.wait(soon()); };
  server.loops().run(wait);
  // When this one has been noticed, the other one, which is older, has been looked at.
  auto leaving = server.connect();
  leaving.send(kWait);
  leaver.wait_for_entry(server);
  leaving.close();
  EXPECT_LT(leaver.ended_after(steady_clock::now()), kPatience);
  go.set();
  EXPECT_EQ(uploading.read_response().body, "body");
}

// What is left of its body will not come: nobody waits for it.
TEST(Departure, ClosingOnesSideAmidABodyEndsTheConnectionWithTheAnswer) {
  for (const auto* framing :
       {"Content-Length: 9\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n9\r\nbody"}) {
    auto handler = [](Request& request) -> Task<Response> {
      const auto body = co_await read_all(*request.body, 100, soon());
      co_return problem(body ? 200 : 400, "");
    };
    TestServer server(handler);
    auto client = server.connect();
    const auto began = steady_clock::now();
    client.send(std::string("POST / HTTP/1.1\r\nHost: a\r\n") + framing);
    client.finish_sending();
    EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 400 "));
    EXPECT_LT(steady_clock::now() - began, 2s);
  }
}

TEST(Departure, ASourceThatWaitsIsEndedAndReported) {
  class Silent : public BodySource {
   public:
    explicit Silent(std::promise<void>& gone) : gone_(gone) {}
    ~Silent() override { gone_.set_value(); }
    std::optional<std::uint64_t> length() const override { return std::nullopt; }
    Task<Result<std::size_t>> read_some(std::span<char>, Deadline deadline) override {
      co_await sleep_until(deadline);
      co_return Error::timeout;
    }

   private:
    std::promise<void>& gone_;
  };
  std::promise<void> gone;
  std::promise<Sent> report;
  auto handler = [&](Request&) -> Task<Response> {
    Response response;
    response.body = std::make_unique<Silent>(gone);
    response.on_sent = [&](const Sent& sent) { report.set_value(sent); };
    co_return response;
  };
  TestServer server(handler);
  auto client = server.connect();
  client.send(kWait);
  EXPECT_NE(client.read_until("\r\n\r\n"), "");
  client.close();
  EXPECT_EQ(gone.get_future().wait_for(1s), std::future_status::ready);
  EXPECT_FALSE(report.get_future().get().complete);
}

TEST(RequestTimeout, IsAnswered504WhenNothingHasBeenSent) {
  ServerOptions options;
  options.request_timeout = 100ms;
  Waiting waiting;
  TestServer server(waiting.handler(), options);
  auto client = server.connect();
  client.send(kWait);
  const auto response = client.read_response();
  EXPECT_EQ(response.status(), 504);
  EXPECT_TRUE(response.complete);
  EXPECT_EQ(response.field("Connection"), "close");
}

TEST(RequestTimeout, CutsAResponseThatHasBegun) {
  ServerOptions options;
  options.request_timeout = 100ms;
  class Endless : public BodySource {
   public:
    std::optional<std::uint64_t> length() const override { return std::nullopt; }
    Task<Result<std::size_t>> read_some(std::span<char> space, Deadline) override {
      co_await sleep_until(steady_clock::now() + 1ms);
      space[0] = 'x';
      co_return 1u;
    }
  };
  auto handler = [](Request&) -> Task<Response> {
    Response response;
    response.body = std::make_unique<Endless>();
    co_return response;
  };
  TestServer server(handler, options);
  auto client = server.connect();
  client.send(kWait);
  const auto response = client.read_response();
  EXPECT_EQ(response.status(), 200);
  EXPECT_FALSE(response.complete);
}

}  // namespace
}  // namespace tessera::http
