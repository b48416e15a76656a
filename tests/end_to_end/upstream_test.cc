// The real proxy in front of several origins, and of one on a unix socket.
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/http/harness.h"
#include "tests/support/programs.h"
#include "tests/support/scripted_origin.h"
#include "tests/support/temporary.h"
#include "tests/support/unix_listener.h"

namespace tessera::test {
namespace {

ScriptedOrigin::Script answering(std::string text) {
  return [text = std::move(text)](const SeenRequest&) { return json_reply("\"" + text + "\""); };
}

TEST(SeveralOrigins, ShareTheRequestsAndFailOver) {
  ScriptedOrigin first(answering("first"));
  ScriptedOrigin second(answering("second"));
  const std::string config = "[origin]\nurl = [\"" + first.url() + "\", \"" + second.url() +
                             "\"]\neject_after = 1\neject_time = \"1m\"\n";
  ProxyProgram proxy(first.url() + "," + second.url(), {"--threads", "1"}, config);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(proxy.get("/x").status, 200);
  EXPECT_EQ(first.calls(), 2u);
  EXPECT_EQ(second.calls(), 2u);
  const std::string gone = first.url().substr(7);
  first.refuse();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(proxy.get("/x").body, "\"second\"");
  EXPECT_EQ(proxy.metric("tessera_origin_up", {"origin=\"" + gone + "\""}), 0);
  EXPECT_EQ(proxy.metric("tessera_origin_ejections_total", {"origin=\"" + gone + "\""}), 1);
  EXPECT_EQ(proxy.metric("tessera_origin_sent_total"), 9);
  const Reply statistics = proxy.admin("GET", "/stats");
  EXPECT_NE(statistics.body.find("\"" + gone + "\": {\n      \"state\": \"ejected\""), std::string::npos)
      << statistics.body;
}

TEST(SeveralOrigins, AreCheckedOnce) {
  ScriptedOrigin well(answering("well"));
  ScriptedOrigin ill([](const SeenRequest& seen) {
    auto reply = json_reply("\"ill\"");
    reply.status = seen.target == "/up" ? 503 : 200;
    return reply;
  });
  const std::string config =
      "[origin]\nhealth_path = \"/up\"\nhealth_interval = \"100ms\"\nunhealthy_after = 1\n";
  ProxyProgram proxy(well.url() + "," + ill.url(), {"--threads", "2"}, config);
  ASSERT_TRUE(ill.wait_for_calls(Kind::collection, 2));  // after the first had been judged
  for (int i = 0; i < 4; ++i) EXPECT_EQ(proxy.get("/x").body, "\"well\"");
}

TEST(UnixOrigin, IsAskedOverItsSocketForTheClientsOwnHost) {
  const TemporaryDirectory directory;
  const UnixListener listener(directory.file("origin.sock"));
  auto script = std::async(std::launch::async, [&] {
    http::testing::Socket socket(listener.accept());
    std::string seen = socket.read_until("\r\n\r\n");
    socket.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    return seen;
  });
  ProxyProgram proxy("unix://" + directory.file("origin.sock"));
  EXPECT_EQ(proxy.get("/x").body, "hello");
  EXPECT_NE(script.get().find("Host: " + proxy.url().substr(7) + "\r\n"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
