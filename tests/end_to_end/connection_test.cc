// HTTP/1 as real clients speak it to the real programs.
#include <chrono>
#include <signal.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {
namespace {

constexpr std::chrono::seconds kSoon{10};

// `GetParam()`: whether the proxy is asked, or the origin.
class HttpServer : public testing::TestWithParam<bool> {
 protected:
  HttpServer() : url_(GetParam() ? stack_.proxy.url() : stack_.origin.url()) {
    stack_.proxy.get(kTarget);
    expected_ = stack_.origin.get(kTarget).body;
  }

  static constexpr const char* kTarget = "/courses/jbuilder";
  Stack stack_;
  std::string url_;
  std::string expected_;
};

INSTANTIATE_TEST_SUITE_P(Both, HttpServer, testing::Bool(),
                         [](const auto& parameter) { return parameter.param ? "Proxy" : "Origin"; });

TEST_P(HttpServer, KeepsAnHttp11Connection) {
  Connection connection(url_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(connection.get(kTarget).body, expected_);
}

TEST_P(HttpServer, ClosesAfterAnHttp10Request) {
  Connection connection(url_);
  Call call;
  call.target = kTarget;
  call.version = "HTTP/1.0";
  const Reply reply = connection.send(call);
  EXPECT_EQ(reply.body, expected_);
  EXPECT_FALSE(reply.has("Transfer-Encoding"));
  EXPECT_TRUE(connection.closed_by_peer(kSoon));
}

TEST_P(HttpServer, KeepsAnHttp10ConnectionThatAsksForIt) {
  Connection connection(url_);
  Call call;
  call.target = kTarget;
  call.version = "HTTP/1.0";
  call.fields = {{"Connection", "Keep-Alive"}};
  for (int i = 0; i < 3; ++i) {
    const Reply reply = connection.send(call);
    EXPECT_EQ(reply.body, expected_);
    EXPECT_EQ(reply.has("Content-Length"), true);
    EXPECT_EQ(reply.field("Connection"), "keep-alive");
  }
}

TEST_P(HttpServer, ClosesWhenTheClientSaysSo) {
  Connection connection(url_);
  EXPECT_EQ(connection.get(kTarget, {{"Connection", "close"}}).body, expected_);
  EXPECT_TRUE(connection.closed_by_peer(kSoon));
}

TEST_P(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  const std::vector<std::string> targets{"/courses/jbuilder", "/courses/1/jbuilder", "/courses/blueprinter",
                                         "/nowhere", "/courses/jbuilder?page=1&per_page=2"};
  std::string text;
  for (const std::string& target : targets) {
    Call call;
    call.target = target;
    text += to_text(call, parse_url(url_).authority());
  }
  Connection connection(url_);
  ASSERT_TRUE(connection.send_raw(text));
  for (const std::string& target : targets) {
    const Reply reply = connection.read_reply();
    const Reply expected = stack_.origin.get(target);
    EXPECT_EQ(reply.status, expected.status) << target;
    EXPECT_EQ(reply.body, expected.body) << target;
  }
}

TEST_P(HttpServer, RefusesWhatIsNoHttp) {
  for (const char* text :
       {"\x16\x03\x01 not http at all\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /courses/jbuilder HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"}) {
    Connection connection(url_);
    ASSERT_TRUE(connection.send_raw(text));
    const Reply reply = connection.read_reply();
    EXPECT_EQ(reply.status, 400) << text;
    EXPECT_TRUE(connection.closed_by_peer(kSoon)) << text;
  }
  EXPECT_EQ(get(url_ + kTarget).body, expected_);
}

TEST_P(HttpServer, FinishesARunningResponseAfterSigtermAndExitsWith0) {
  Connection connection(url_);
  ASSERT_TRUE(connection.get(kTarget).ok());
  connection.set_receive_buffer(4096);
  Call call;
  call.target = kTarget;
  ASSERT_TRUE(connection.send_raw(to_text(call, parse_url(url_).authority())));
  const std::string first = connection.read_some(1);  // the response is under way
  Process& process = GetParam() ? stack_.proxy.process() : stack_.origin.process();
  process.signal(SIGTERM);
  const std::string rest = connection.read_to_end();
  EXPECT_TRUE((first + rest).ends_with(expected_));
  EXPECT_EQ(process.wait(), 0) << process.errors();
}

TEST_P(HttpServer, EndsAtOnceWhenIdleAfterSigterm) {
  Connection idle(url_);
  ASSERT_TRUE(idle.get(kTarget).ok());
  Process& process = GetParam() ? stack_.proxy.process() : stack_.origin.process();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(process.terminate(), 0) << process.errors();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kSoon);
  EXPECT_TRUE(idle.closed_by_peer(kSoon));
}

TEST(PassRoute, StreamsALargeAnswerWithBoundedMemory) {
  const std::string body(48u << 20, 'x');
  ScriptedReply big = json_reply(body, {{"Cache-Control", "no-store"}});
  ScriptedOrigin origin([&](const SeenRequest&) { return big; });
  ProxyProgram proxy(origin.url());
  ASSERT_EQ(proxy.get("/small").status, 200);
  const std::size_t before = proxy.process().resident_bytes();
  Connection connection(proxy.url());
  Call call;
  call.target = "/download";
  ASSERT_TRUE(connection.send_raw(to_text(call, parse_url(proxy.url()).authority())));
  ASSERT_TRUE(origin.wait_for_calls(Kind::collection, 2));
  std::size_t received = 0;
  while (received < body.size()) {
    const std::string part = connection.read_some();
    ASSERT_FALSE(part.empty());
    received += part.size();
  }
  EXPECT_LT(proxy.process().resident_bytes(), before + (16u << 20));
}

// The kernel deals connections out unevenly: what one event loop has too many, another has not.
TEST(ConnectionLimit, IsOneForAllEventLoops) {
  const OriginProgram origin({"--courses", "1", "--slides", "0"});
  const ProxyProgram proxy(origin.url(), {"--threads", "4"}, "[limits]\nconnections = 8\n");
  std::vector<Connection> connections;
  for (int i = 0; i < 8; ++i) {
    connections.emplace_back(proxy.url(), std::chrono::milliseconds(5'000));
    EXPECT_EQ(connections.back().get("/courses/1").status, 200) << i;
  }
  Connection one_more(proxy.url(), std::chrono::milliseconds(5'000));
  one_more.send_raw("GET /courses/1 HTTP/1.1\r\nHost: a\r\n\r\n");
  connections.pop_back();
  EXPECT_EQ(one_more.read_reply().status, 200) << "one has ended: there is room";
}

}  // namespace
}  // namespace tessera::test
