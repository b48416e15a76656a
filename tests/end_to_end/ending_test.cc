// How a process ends: draining, delayed, handed over to its successor.
#include <csignal>
#include <filesystem>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/patience.h"
#include "tests/end_to_end/stack.h"
#include "tests/support/gate.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

std::string url_in(const std::string& line) {
  return line.substr(line.find("http://"));
}

TEST(Draining, FailsReadinessFirstAndFinishesWhatRuns) {
  const auto gate = std::make_shared<Gate>();
  ScriptedOrigin origin([&](const SeenRequest&) {
    auto reply = json_reply("\"late\"");
    reply.pause_at = gate;
    return reply;
  });
  ProxyProgram proxy(origin.url());
  EXPECT_EQ(proxy.admin("GET", "/readyz").status, 200);
  Reply running;
  std::thread client([&] { running = Connection(proxy.url()).get("/x"); });
  ASSERT_TRUE(origin.wait_for_calls(Kind::collection, 1));
  proxy.process().signal(SIGTERM);
  EXPECT_TRUE(becomes([&] { return proxy.admin("GET", "/readyz").status == 503; }));
  EXPECT_EQ(proxy.admin("GET", "/healthz").status, 200);
  gate->open();
  client.join();
  EXPECT_EQ(running.body, "\"late\"") << running.error;
  EXPECT_EQ(running.field("Connection"), "close");
  EXPECT_EQ(proxy.process().wait(), 0);
}

TEST(Draining, GoesOnAcceptingForItsDelay) {
  ScriptedOrigin origin([](const SeenRequest&) { return json_reply("1"); });
  ProxyProgram proxy(origin.url(), {}, "[limits]\ndrain_delay = \"1h\"\n");
  Connection kept(proxy.url());
  EXPECT_EQ(kept.get("/x").field("Connection"), "");
  proxy.process().signal(SIGTERM);
  EXPECT_TRUE(becomes([&] { return proxy.admin("GET", "/readyz").status == 503; }));
  // Each loop hears of it in its own time.
  EXPECT_TRUE(becomes([&] { return Connection(proxy.url()).get("/x").field("Connection") == "close"; }));
  const auto last = kept.get("/x");
  EXPECT_TRUE(last.ok());
  EXPECT_EQ(last.field("Connection"), "close");
  EXPECT_TRUE(kept.closed_by_peer(std::chrono::seconds(20)));
  EXPECT_EQ(request("POST", proxy.admin_url("/reload")).status, 422);
  proxy.process().signal(SIGTERM);
  EXPECT_EQ(proxy.process().wait(), 0);
  EXPECT_THAT(proxy.process().errors(), HasSubstr("stopped before"));
}

// Requests of two generations of settings are cut off in the middle.
TEST(Draining, EndsAtOnceOnASecondSignal) {
  const auto gate = std::make_shared<Gate>();
  ScriptedOrigin origin([&](const SeenRequest&) {
    auto reply = json_reply("1");
    reply.pause_at = gate;
    return reply;
  });
  ProxyProgram proxy(origin.url(), {}, "[limits]\ndrain = \"1h\"\n");
  Connection before(proxy.url());
  Connection after(proxy.url());
  const Call call;
  before.send_raw(to_text(call, "a"));
  ASSERT_TRUE(origin.wait_for_calls(Kind::collection, 1));
  EXPECT_EQ(request("POST", proxy.admin_url("/reload")).status, 200);
  after.send_raw(to_text(call, "a"));
  ASSERT_TRUE(origin.wait_for_calls(Kind::collection, 2));
  proxy.process().signal(SIGTERM);
  EXPECT_TRUE(becomes([&] { return proxy.admin("GET", "/readyz").status == 503; }));
  proxy.process().signal(SIGTERM);
  EXPECT_EQ(proxy.process().wait(), 0);
  gate->open();
}

TEST(Draining, DelaysNothingForAnInterrupt) {
  ScriptedOrigin origin([](const SeenRequest&) { return json_reply("1"); });
  ProxyProgram proxy(origin.url(), {}, "[limits]\ndrain_delay = \"1h\"\n");
  EXPECT_TRUE(proxy.get("/x").ok());
  proxy.process().signal(SIGINT);
  EXPECT_EQ(proxy.process().wait(), 0);
}

// Listens like systemd's sockets: not SO_REUSEPORT, and without CLOEXEC. The caller's to close.
int listen_anywhere(std::string& url) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(socket, 16), 0);
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  return socket;
}

// Two servers of one event loop; on the first a request runs for as long as it likes.
TEST(Draining, EndsIdleConnectionsOfEveryServerAtOnce) {
  const auto gate = std::make_shared<Gate>();
  ScriptedOrigin origin([&](const SeenRequest& seen) {
    auto reply = json_reply("1");
    if (seen.target == "/late") reply.pause_at = gate;
    return reply;
  });
  std::string first;
  std::string second;
  const int one = listen_anywhere(first);
  const int other = listen_anywhere(second);
  const TemporaryDirectory directory;
  const auto config = directory.write("t.toml", "[limits]\ndrain = \"1h\"\nidle_timeout = \"1h\"\n");
  const std::string run = "LISTEN_PID=$$ LISTEN_FDS=2 exec \"$0\" \"$@\" 3<&" + std::to_string(one) + " 4<&" +
                          std::to_string(other);
  Process proxy("bash", {"-c", run, proxy_program(), "--config", config, "--admin", "127.0.0.1:0", "--origin",
                         origin.url(), "--threads", "1"});
  proxy.wait_for_line("listening on");
  Connection running(first);
  Connection idle(second);
  ASSERT_TRUE(idle.get("/x").ok());
  Call call;
  call.target = "/late";
  ASSERT_TRUE(running.send_raw(to_text(call, "a")));
  ASSERT_TRUE(origin.wait_for_calls(Kind::collection, 2));
  proxy.signal(SIGTERM);
  EXPECT_TRUE(idle.closed_by_peer(std::chrono::seconds(20)));
  gate->open();
  EXPECT_TRUE(running.read_reply().ok());
  EXPECT_EQ(proxy.wait(), 0);
  ::close(one);
  ::close(other);
}

class Handover : public testing::Test {
 protected:
  std::unique_ptr<ProxyProgram> start(std::vector<std::string> arguments = {"--threads", "2"}) {
    const auto config =
        "[listen]\nhandover = \"" + directory_.file("socket") + "\"\n[limits]\ndrain = \"5m\"\n";
    return std::make_unique<ProxyProgram>(origin_.url(), std::move(arguments), config);
  }

  TemporaryDirectory directory_;
  OriginProgram origin_{{"--courses", "5"}};
};

TEST_F(Handover, CostsNoRequestUnderLoad) {
  auto running = start();
  const auto url = running->url();
  Clients clients(url + "/courses/jbuilder", 4);
  ASSERT_TRUE(clients.answer(20));
  // As many loops as before, more, fewer, and as before again.
  for (const auto* threads : {"2", "4", "1", "2"}) {
    auto next = start({"--threads", threads});
    EXPECT_EQ(next->url(), url);
    EXPECT_EQ(next->admin_url(), running->admin_url());
    EXPECT_EQ(running->process().wait(), 0);
    running = std::move(next);
    ASSERT_TRUE(clients.answer(20));
  }
  EXPECT_EQ(clients.stop(), 0u) << clients.first_failure();
  EXPECT_EQ(running->process().terminate(), 0);
  EXPECT_FALSE(std::filesystem::exists(directory_.file("socket")));
}

TEST_F(Handover, LetsTheOldProcessFinishItsConnections) {
  auto old = start();
  Connection kept(old->url());
  EXPECT_TRUE(kept.get("/courses/jbuilder").ok());
  Connection operators(old->admin_url());
  EXPECT_EQ(operators.get("/readyz").field("Connection"), "");
  auto next = start();
  EXPECT_TRUE(becomes([&] {
    return std::string(old->process().errors()).find("another process accepts") != std::string::npos;
  }));
  EXPECT_TRUE(old->process().running());
  // Who scrapes it finds the other one next.
  EXPECT_TRUE(becomes([&] {
    Connection another(next->admin_url());
    return another.get("/readyz").status == 200;
  }));
  const auto told = operators.get("/readyz");
  EXPECT_EQ(told.status, 503) << told.error;
  EXPECT_EQ(told.field("Connection"), "close");
  const auto last = kept.get("/courses/jbuilder");
  EXPECT_TRUE(last.ok()) << last.error;
  EXPECT_EQ(old->process().wait(), 0);
  EXPECT_TRUE(next->get("/courses/jbuilder").ok());
}

TEST_F(Handover, DoesNotHappenWithASuccessorThatCannotStart) {
  auto old = start();
  const auto config = directory_.write("bad.toml", "[listen]\nhandover = \"" + directory_.file("socket") +
                                                       "\"\n[access_log]\nformat = \"json\"\n"
                                                       "file = \"/nowhere/at/all\"\n");
  Process failing(proxy_program(), {"--config", config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  EXPECT_EQ(failing.wait(), 1);
  EXPECT_TRUE(old->get("/courses/jbuilder").ok());
  auto next = start();
  EXPECT_EQ(next->url(), old->url());
  EXPECT_EQ(old->process().wait(), 0);
}

TEST_F(Handover, TakesNoSocketOfAnotherAddress) {
  auto old = start();
  std::string listen;
  {
    ScriptedOrigin any([](const SeenRequest&) { return json_reply("1"); });
    listen = parse_url(any.url()).authority();  // free again from here on
  }
  const auto config =
      directory_.write("moved.toml", "[listen]\nhandover = \"" + directory_.file("socket") + "\"\n");
  Process next(proxy_program(),
               {"--config", config, "--listen", listen, "--admin", "127.0.0.1:0", "--origin", origin_.url()});
  EXPECT_EQ(url_in(next.wait_for_line("admin on")), old->admin_url());
  EXPECT_EQ(url_in(next.wait_for_line("listening on")), "http://" + listen);
  EXPECT_EQ(old->process().wait(), 0);
  EXPECT_EQ(next.terminate(), 0);
}

TEST(SocketActivation, AcceptsOnTheSocketsThatItIsGiven) {
  OriginProgram origin({"--courses", "5"});
  std::string url;
  const int socket = listen_anywhere(url);
  const std::string run = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3<&" + std::to_string(socket);
  Process proxy("bash", {"-c", run, proxy_program(), "--listen", "127.0.0.1:1", "--admin", "127.0.0.1:0",
                         "--origin", origin.url(), "--threads", "3"});
  EXPECT_EQ(url_in(proxy.wait_for_line("listening on")), url);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(get(url + "/courses/jbuilder").ok());
  EXPECT_EQ(proxy.terminate(), 0);
  ::close(socket);
}

TEST(SocketActivation, RefusesWhatIsNoSocket) {
  Process proxy("bash", {"-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\" 3</dev/null", proxy_program()});
  EXPECT_EQ(proxy.wait(), 1);
  EXPECT_THAT(proxy.errors(), HasSubstr("an inherited descriptor is no listening TCP socket"));
}

}  // namespace
}  // namespace tessera::test
