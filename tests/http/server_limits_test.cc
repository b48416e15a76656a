// Limits, time-outs, clients that leave, and the end of a server.
#include <future>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "http/signal.h"
#include "http/task_group.h"
#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using namespace std::chrono_literals;
using testing::answer;
using testing::soon;
using testing::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(ServerLimits, HeadsOverTheLimitAreRefused) {
  ServerOptions options;
  options.head_bytes = 1000;
  TestServer server(answer("x"), options);
  EXPECT_TRUE(server.exchange("GET /" + std::string(2000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n")
                  .starts_with("HTTP/1.1 414 "));
  EXPECT_TRUE(server.exchange("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'a') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(server.exchange("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(5'000'000, 'a'))
                  .starts_with("HTTP/1.1 431 "));
  auto socket = server.connect();
  socket.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(900, 'a') + "\r\n\r\n");
  EXPECT_EQ(socket.read_response().status(), 200);
}

TEST(ServerLimits, ALongRequestLineIsRefusedBeforeTheHeadsEnd) {
  ServerOptions options;
  options.request_line_bytes = 100;
  TestServer server(answer("x"), options);
  const auto line = [](std::size_t size) { return "GET /" + std::string(size - 14, 'a') + " HTTP/1.1"; };
  EXPECT_TRUE(server.exchange(line(101) + "\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 414 "));
  EXPECT_TRUE(server.exchange(line(102)).starts_with("HTTP/1.1 414 "));
  auto socket = server.connect();
  socket.send(line(100) + "\r\nHost: a\r\nX: " + std::string(200, 'b') + "\r\n\r\n");
  EXPECT_EQ(socket.read_response().status(), 200);
}

TEST(ServerLimits, TooManyFieldsAreRefused) {
  ServerOptions options;
  options.max_fields = 3;
  TestServer server(answer("x"), options);
  const std::string three = "GET / HTTP/1.1\r\nHost: a\r\nA:\r\nB:\r\n";
  EXPECT_TRUE(server.exchange(three + "C:\r\n\r\n").starts_with("HTTP/1.1 431 "));
  auto socket = server.connect();
  socket.send(three + "\r\n");
  EXPECT_EQ(socket.read_response().status(), 200);
}

TEST(ServerLimits, ALargeBodyIsRefusedUnreadOrWhereItGrowsTooLarge) {
  ServerOptions options;
  options.body_bytes = 4;
  auto handler = [](Request& request) -> Task<Response> {
    const auto body = co_await read_all(*request.body, 100, soon());
    co_return problem(body ? 200 : 413, body ? *body : body.error().message());
  };
  TestServer server(handler, options);
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  // No 100: the final answer comes instead.
  EXPECT_TRUE(server.exchange(post + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
                  .starts_with("HTTP/1.1 413 "));
  const auto chunked = server.exchange(post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  EXPECT_TRUE(chunked.starts_with("HTTP/1.1 413 ")) << chunked;
  auto socket = server.connect();
  socket.send(post + "Content-Length: 4\r\n\r\nfour");
  EXPECT_EQ(socket.read_response().status(), 200);
}

TEST(ServerLimits, AHeadThatDoesNotComeInTimeIsAnswered408) {
  ServerOptions options;
  options.head_timeout = 30ms;
  TestServer server(answer("x"), options);
  EXPECT_TRUE(server.exchange("GET / HT").starts_with("HTTP/1.1 408 "));
}

TEST(ServerLimits, ASilentClientIsDropped) {
  ServerOptions options;
  options.head_timeout = 30ms;
  TestServer server(answer("x"), options);
  EXPECT_EQ(server.exchange(""), "");
}

TEST(ServerLimits, AnIdleConnectionIsDropped) {
  ServerOptions options;
  options.idle_timeout = 30ms;
  TestServer server(answer("x"), options);
  auto socket = server.connect();
  socket.send(kGet);
  EXPECT_EQ(socket.read_response().body, "x");
  EXPECT_TRUE(socket.at_end());
}

TEST(ServerLimits, ABodyThatStallsFailsItsReader) {
  ServerOptions options;
  options.body_timeout = 30ms;
  auto handler = [](Request& request) -> Task<Response> {
    const auto body = co_await read_all(*request.body, 100, soon());
    co_return problem(body ? 200 : 408, body ? "" : body.error().message());
  };
  TestServer server(handler, options);
  const auto reply = server.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 408 ")) << reply;
}

TEST(ServerLimits, AClientThatDoesNotReadIsDropped) {
  ServerOptions options;
  options.write_timeout = 30ms;
  std::promise<Sent> report;
  auto handler = [&](Request&) -> Task<Response> {
    Response response;
    response.body = std::string(50'000'000, 'x');
    response.on_sent = [&](const Sent& sent) { report.set_value(sent); };
    co_return response;
  };
  TestServer server(handler, options);
  auto socket = server.connect();
  socket.send(kGet);
  const auto sent = report.get_future().get();
  EXPECT_FALSE(sent.complete);
  EXPECT_LT(sent.body_bytes, 50'000'000u);
}

TEST(ServerLimits, ASourceThatStallsIsCut) {
  class Silent : public BodySource {
   public:
    std::optional<std::uint64_t> length() const override { return std::nullopt; }
    Task<Result<std::size_t>> read_some(std::span<char>, Deadline deadline) override {
      co_await sleep_until(deadline);
      co_return Error::timeout;
    }
  };
  ServerOptions options;
  options.source_timeout = 30ms;
  auto handler = [](Request&) -> Task<Response> {
    Response response;
    response.body = std::make_unique<Silent>();
    co_return response;
  };
  TestServer server(handler, options);
  const auto reply = server.exchange(kGet);
  EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << reply;
}

TEST(ServerLimits, ClientsThatLeaveHarmNobody) {
  Signal left;
  auto handler = [&](Request& request) -> Task<Response> {
    if (request.head.target == "/wait") co_await left.wait(soon());
    const auto body = co_await read_all(*request.body, 1000, soon());
    Response response;
    response.body = std::string(body ? 1'000'000 : 10, 'x');
    co_return response;
  };
  TestServer server(handler);
  for (const std::string_view part :
       {std::string_view("GET /w"), std::string_view("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab")}) {
    auto closing = server.connect();
    closing.send(part);
    closing.close();
    auto resetting = server.connect();
    resetting.send(part);
    resetting.reset();
  }
  left.set();
  auto socket = server.connect();
  socket.send(kGet);
  EXPECT_EQ(socket.read_response().body.size(), 1'000'000u);
}

TEST(ServerLimits, MoreConnectionsThanAllowedWait) {
  ServerOptions options;
  options.max_connections = 1;
  TestServer server(answer("x"), options);
  auto first = server.connect();
  first.send(kGet);
  EXPECT_EQ(first.read_response().body, "x");
  auto second = server.connect();
  second.send(kGet);
  first.send(kGet);
  EXPECT_EQ(first.read_response().body, "x");
  first.close();
  EXPECT_EQ(second.read_response().body, "x");
}

// Tells when a message with this text has been logged.
class LogWatch : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LogWatch(std::string text) : text_(std::move(text)) {}
  void wait() { EXPECT_EQ(seen_.get_future().wait_for(testing::kPatience), std::future_status::ready); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view payload(message.payload.data(), message.payload.size());
    if (!done_ && payload.find(text_) != std::string_view::npos) {
      done_ = true;
      seen_.set_value();
    }
  }
  void flush_() override {}

  std::string text_;
  std::promise<void> seen_;
  bool done_ = false;
};

TEST(ServerLimits, AcceptingSurvivesALackOfFileDescriptors) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "UBSan opens a pipe to look at an object: without descriptors it takes each for a bad one";
#endif
  const auto watch = std::make_shared<LogWatch>("accepting connections pauses");
  const auto logger = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", watch));
  {
    TestServer server(answer("x"));
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int lowest_free = ::dup(0);
    ::close(lowest_free);
    const rlimit low{static_cast<rlim_t>(lowest_free) + 1, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    auto socket = server.connect();  // takes the last descriptor: accepting it fails
    watch->wait();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    socket.send(kGet);
    EXPECT_EQ(socket.read_response().body, "x");
  }
  spdlog::set_default_logger(logger);
}

TEST(ServerLimits, ATakenAddressIsExplained) {
  // A socket without SO_REUSEPORT keeps others off its port.
  const testing::Listening taken;
  testing::Loops loops;
  try {
    const Server second(loops.executor(), {"127.0.0.1", taken.port()}, {}, answer("y"));
    FAIL() << "the port is taken";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "cannot listen on 127.0.0.1:" + std::to_string(taken.port()) +
                                             ": address already in use; choose another with --listen");
  }
}

TEST(ServerLimits, ServersOnTwoLoopsShareAPort) {
  testing::Loops loops(2);
  Server first(loops.executor(0), {"127.0.0.1", 0}, {}, answer("x"));
  Server second(loops.executor(1), first.local_address(), {}, answer("x"));
  EXPECT_EQ(first.local_address().port, second.local_address().port);
  loops.stop();
}

class Drain : public ::testing::Test {
 protected:
  Task<Response> handle(Request& request) {
    if (request.head.target == "/slow") {
      entered_.set();
      co_await go_.wait(soon());
    }
    Response response;
    response.body = std::string("done");
    response.on_sent = [this](const Sent& sent) { reports_.push_back(sent.complete); };
    co_return response;
  }

  std::future<void> stop_server(TestServer& server, std::chrono::milliseconds grace) {
    return std::async(std::launch::async, [&server, grace] {
      auto stop = [&]() -> Task<void> { co_await server.server().stop(grace); };
      server.loops().run(stop);
    });
  }

  void wait_for(TestServer& server, const Signal& signal) {
    auto wait = [&]() -> Task<void> { co_await signal.wait(soon()); };
    server.loops().run(wait);
  }

  Handler handler() {
    return [this](Request& request) { return handle(request); };
  }

  Signal entered_;
  Signal go_;
  std::vector<bool> reports_;  // what on_sent said, one for each answer
};

TEST_F(Drain, EndsIdleConnectionsAndFinishesRunningOnes) {
  TestServer server(handler());
  auto idle = server.connect();
  idle.send(kGet);
  EXPECT_EQ(idle.read_response().body, "done");
  auto fresh = server.connect();
  auto busy = server.connect();
  busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  wait_for(server, entered_);
  auto stopped = stop_server(server, 20s);
  EXPECT_TRUE(idle.at_end());
  EXPECT_THROW(server.connect(), std::runtime_error);
  go_.set();
  const auto response = busy.read_response();
  EXPECT_EQ(response.body, "done");
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_TRUE(busy.at_end());
  stopped.get();
  EXPECT_EQ(server.server().connections(), 0u);
}

// The server is told to stop when the request has reached its kernel, and before it has read it.
TEST_F(Drain, AnswersARequestThatHasComeMeanwhile) {
  TestServer server(handler());
  auto idle = server.connect();
  idle.send(kGet);
  EXPECT_EQ(idle.read_response().body, "done");
  auto stop = [&]() -> Task<void> {
    idle.send(kGet);
    co_await server.server().stop(20s);
  };
  server.loops().run(stop);
  const auto response = idle.read_response();
  EXPECT_EQ(response.body, "done");
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_TRUE(idle.at_end());
}

TEST_F(Drain, DoesNotWaitLongForTheRestOfAHead) {
  ServerOptions options;
  options.head_timeout = 1h;
  TestServer server(handler(), options);
  auto half = server.connect();
  half.send("GET / HTTP/1.1\r\n");
  auto quick = server.connect();
  quick.send("GET / HTTP/1.1\r\n");
  // Whoever is accepted after them is answered after they have been read.
  auto other = server.connect();
  other.send(kGet);
  EXPECT_EQ(other.read_response().body, "done");
  const auto begin = std::chrono::steady_clock::now();
  auto stopped = stop_server(server, 15s);
  EXPECT_TRUE(other.at_end());
  quick.send("Host: a\r\n\r\n");
  EXPECT_EQ(quick.read_response().body, "done");
  EXPECT_EQ(half.read_to_end(), "");
  stopped.get();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(Drain, CutsWhatIsLeftAfterTheGrace) {
  TestServer server(handler());
  auto busy = server.connect();
  busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  wait_for(server, entered_);
  auto stopped = stop_server(server, 10ms);
  EXPECT_EQ(busy.read_to_end(), "");
  stopped.get();
  EXPECT_EQ(reports_, std::vector<bool>{false});
  EXPECT_EQ(server.server().connections(), 0u);
}

}  // namespace
}  // namespace tessera::http
