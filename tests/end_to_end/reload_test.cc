// SIGHUP and POST /reload: what changes, what does not, and that nobody notices.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/patience.h"
#include "tests/proxy/item_origin.h"
#include "tests/support/gate.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

// A proxy whose file can be written anew.
class Reload : public testing::Test {
 protected:
  Reload() : origin_({item(1, "v1", "one"), item(2, "v1", "two")}) {
    write(item_config());
    proxy_.emplace(origin_.url(), std::vector<std::string>{"--config", directory_.file("t.toml")});
  }

  void write(const std::string& text) { directory_.write("t.toml", text); }
  Reply reload() { return proxy_->admin("POST", "/reload"); }
  std::string status(std::string_view target = "/items") { return proxy_->get(target).field("Cache-Status"); }

  TemporaryDirectory directory_;
  ItemOrigin origin_;
  std::optional<ProxyProgram> proxy_;
};

TEST_F(Reload, PutsChangedRoutesIntoEffectAndKeepsMemoryAndCounts) {
  proxy_->get("/items");
  EXPECT_TRUE(proxy_->comes_to_hit("/items"));
  write(item_config("mode = \"pass\"\n"));
  EXPECT_EQ(reload().status, 200);
  EXPECT_THAT(status(), HasSubstr("switched-off"));
  write(item_config());
  EXPECT_EQ(reload().status, 200);
  EXPECT_TRUE(proxy_->comes_to_hit("/items"));
  EXPECT_TRUE(proxy_->metric_reaches(4, "tessera_requests_total"));
}

TEST_F(Reload, NeverReadsWhatWasKeptUnderOtherSettings) {
  const auto whole = proxy_->get("/items").body;
  proxy_->get("/items");
  const auto asked = origin_.collections() + origin_.records();
  write(item_config("epoch = \"2\"\n"));
  ASSERT_EQ(reload().status, 200);
  EXPECT_EQ(proxy_->get("/items").body, whole);
  EXPECT_GT(origin_.collections() + origin_.records(), asked);
}

TEST_F(Reload, KeepsAModeThatAnOperatorHasSwitched) {
  EXPECT_EQ(proxy_->admin("POST", "/routes/items?mode=pass").status, 200);
  ASSERT_EQ(reload().status, 200);
  EXPECT_THAT(status(), HasSubstr("switched-off"));
}

TEST_F(Reload, ChangesNothingWhenTheFileIsBadAndSaysWhy) {
  proxy_->get("/items");
  write("[limits]\nhead = \"1KiB\"\nheat = 1\n[memory]\nl1 = \"none\"\n");
  const auto refused = reload();
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("[limits] has no setting heat; did you mean head?"));
  EXPECT_THAT(refused.body, HasSubstr("memory.l1"));
  EXPECT_TRUE(proxy_->comes_to_hit("/items"));
  proxy_->process().signal(SIGHUP);
  EXPECT_THAT(proxy_->process().wait_for_line("no setting heat"), HasSubstr("t.toml:3"));
  EXPECT_TRUE(proxy_->comes_to_hit("/items"));
}

TEST_F(Reload, RefusesWhatNeedsARestart) {
  write("[listen]\nthreads = 3\n[access_log]\nformat = \"json\"\n" + item_config("mode = \"pass\"\n"));
  const auto refused = reload();
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("listen.threads = 3 needs a restart; running is 0"));
  EXPECT_THAT(status(), testing::Not(HasSubstr("switched-off")));
}

TEST_F(Reload, RefusesALogThatCannotBeOpened) {
  write("[access_log]\nformat = \"json\"\nfile = \"/nowhere/at/all\"\n" + item_config());
  const auto refused = reload();
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("/nowhere/at/all"));
  EXPECT_TRUE(proxy_->get("/items").ok());
}

TEST_F(Reload, TakesNoOtherMethodAndNoParameters) {
  EXPECT_EQ(proxy_->admin("GET", "/reload").status, 405);
  EXPECT_EQ(proxy_->admin("POST", "/reload?now=1").status, 400);
}

// Who hands over its sockets lets the process wait in the middle of its start.
TEST(ReloadAtStart, WaitsUntilTheProcessRuns) {
  const TemporaryDirectory directory;
  const int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  directory.file("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  const auto config =
      directory.write("t.toml", "[listen]\nhandover = \"" + directory.file("socket") + "\"\n");
  Process proxy(proxy_program(), {"--config", config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  const int channel = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  proxy.signal(SIGHUP);
  proxy.signal(SIGUSR1);
  ::close(channel);
  ::close(listener);
  proxy.wait_for_line("listening on");
  proxy.wait_for_line("read anew");
  EXPECT_EQ(proxy.terminate(), 0);
}

TEST(ReloadUnderWay, LetsRunningRequestsFinishWithTheOldSettings) {
  const TemporaryDirectory directory;
  const auto gate = std::make_shared<Gate>();
  ScriptedOrigin before([&](const SeenRequest&) {
    auto reply = json_reply("\"before\"");
    reply.pause_at = gate;
    return reply;
  });
  ScriptedOrigin after([](const SeenRequest&) { return json_reply("\"after\""); });
  const auto write = [&](const std::string& origin) {
    directory.write("t.toml", "[origin]\nurl = \"" + origin + "\"\n");
  };
  write(before.url());
  Process proxy(proxy_program(),
                {"--config", directory.file("t.toml"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  const auto url_in = [](const std::string& line) { return line.substr(line.find("http://")); };
  const auto admin = url_in(proxy.wait_for_line("admin on"));
  const auto url = url_in(proxy.wait_for_line("listening on"));
  Reply running;
  std::thread client([&] { running = get(url + "/x"); });
  ASSERT_TRUE(before.wait_for_calls(Kind::collection, 1));
  write(after.url());
  EXPECT_EQ(request("POST", admin + "/reload").status, 200);
  EXPECT_EQ(get(url + "/x").body, "\"after\"");
  gate->open();
  client.join();
  EXPECT_EQ(running.body, "\"before\"") << running.error;
  EXPECT_EQ(proxy.terminate(), 0);
}

// The file is a pipe, so that the test says when it has been read.
TEST_F(Reload, GoesOnWhenWhoeverAskedForItLeaves) {
  std::filesystem::remove(directory_.file("t.toml"));
  ASSERT_EQ(::mkfifo(directory_.file("t.toml").c_str(), 0600), 0);
  Connection other(proxy_->url());
  {
    Connection impatient(proxy_->admin_url());
    Call call;
    call.method = "POST";
    call.target = "/reload";
    // Both ends, so that opening waits for nobody.
    std::fstream file(directory_.file("t.toml"));
    ASSERT_TRUE(file.is_open());
    ASSERT_TRUE(impatient.send_raw(to_text(call, parse_url(proxy_->admin_url()).authority())));
    impatient.reset();
    // Long enough for it to be noticed at the first look.
    EXPECT_FALSE(other.closed_by_peer(std::chrono::milliseconds(600)));
    file << item_config("mode = \"pass\"\n");
  }
  EXPECT_TRUE(becomes([&] { return status().find("switched-off") != std::string::npos; }));
  std::filesystem::remove(directory_.file("t.toml"));
  write(item_config());
  EXPECT_EQ(reload().status, 200);
  EXPECT_THAT(status(), testing::Not(HasSubstr("switched-off")));
  EXPECT_EQ(proxy_->process().terminate(), 0);
}

// Its readers would otherwise go on with what the settings of before had found out.
TEST_F(Reload, ForgetsWhatHealthChecksFoundOnceThereAreNone) {
  ScriptedOrigin ill([](const SeenRequest& seen) {
    auto reply = json_reply("\"ill\"");
    if (seen.target == "/health") reply.status = 500;
    return reply;
  });
  ScriptedOrigin well([](const SeenRequest&) { return json_reply("\"well\""); });
  const auto origins = "[origin]\nurl = [\"" + ill.url() + "\", \"" + well.url() + "\"]\n";
  const auto config = directory_.write(
      "two.toml", origins + "health_path = \"/health\"\nhealth_interval = \"100ms\"\nunhealthy_after = 1\n");
  Process proxy(proxy_program(), {"--config", config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  const auto url_in = [](const std::string& line) { return line.substr(line.find("http://")); };
  const auto admin = url_in(proxy.wait_for_line("admin on"));
  const auto url = url_in(proxy.wait_for_line("listening on"));
  proxy.wait_for_line("unhealthy");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(get(url + "/x").body, "\"well\"");
  directory_.write("two.toml", origins);
  ASSERT_EQ(request("POST", admin + "/reload").status, 200);
  EXPECT_TRUE(becomes([&] { return get(url + "/x").body == "\"ill\""; }));
  EXPECT_EQ(proxy.terminate(), 0);
}

TEST_F(Reload, EndsTheHealthChecksOfBeforeThoughATunnelGoesOn) {
  ScriptedOrigin origin([](const SeenRequest& seen) {
    auto reply = json_reply("1");
    if (seen.target == "/tunnel") {
      reply.raw = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
    }
    return reply;
  });
  const auto settings = [&](const std::string& path) {
    return "[origin]\nurl = \"" + origin.url() + "\"\nhealth_path = \"" + path +
           "\"\nhealth_interval = \"100ms\"\n";
  };
  const auto config = directory_.write("checks.toml", settings("/old"));
  Process proxy(proxy_program(), {"--config", config, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  const auto url_in = [](const std::string& line) { return line.substr(line.find("http://")); };
  const auto admin = url_in(proxy.wait_for_line("admin on"));
  Connection tunnel(url_in(proxy.wait_for_line("listening on")));
  tunnel.send_raw("GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  EXPECT_THAT(tunnel.read_some(), HasSubstr("101"));
  directory_.write("checks.toml", settings("/new"));
  ASSERT_EQ(request("POST", admin + "/reload").status, 200);
  const auto count = [&](std::string_view target) {
    const auto seen = origin.requests();
    return std::count_if(seen.begin(), seen.end(), [&](const auto& one) { return one.target == target; });
  };
  ASSERT_TRUE(becomes([&] { return count("/new") >= 1; }));
  const auto before = count("/old");  // one may have been under way
  ASSERT_TRUE(becomes([&] { return count("/new") >= 8; }));
  EXPECT_LE(count("/old"), before + 1);
}

TEST_F(Reload, ReopensTheLogsOfEarlierSettingsToo) {
  const auto log = [](const std::string& file) {
    return "[access_log]\nformat = \"combined\"\nfile = \"" + file + "\"\n" + item_config();
  };
  write(log(directory_.file("one")));
  ASSERT_EQ(reload().status, 200);
  write(log(directory_.file("two")));
  ASSERT_EQ(reload().status, 200);
  for (const auto* file : {"one", "two"}) std::filesystem::remove(directory_.file(file));
  proxy_->process().signal(SIGUSR1);
  EXPECT_TRUE(becomes([&] { return std::filesystem::exists(directory_.file("one")); }));
  EXPECT_TRUE(becomes([&] { return std::filesystem::exists(directory_.file("two")); }));
}

TEST_F(Reload, LeavesTheAdminListenerItsOwnLimits) {
  write("[limits]\nbody = \"1KiB\"\nrequest_line = 256\nmanifest = \"1MiB\"\n" + item_config());
  ASSERT_EQ(reload().status, 200);
  const auto post = [&](std::size_t size) {
    return request("POST", proxy_->admin_url("/invalidate?route=items"), {}, std::string(size, ' ')).status;
  };
  EXPECT_EQ(post(100'000), 400);  // no manifest, but read
  EXPECT_EQ(post(2'000'000), 413);
  EXPECT_EQ(proxy_->admin("GET", "/stats?" + std::string(1'000, 'x')).status, 200);
}

TEST_F(Reload, CostsNoRequestHoweverOftenItHappens) {
  Clients clients(proxy_->url("/items"), 4);
  ASSERT_TRUE(clients.answer(10));
  for (int i = 0; i < 50; ++i) {
    write(item_config("epoch = \"" + std::to_string(i % 3) + "\"\n"));
    if (i % 2 == 0) {
      EXPECT_EQ(reload().status, 200);
    } else {
      proxy_->process().signal(SIGHUP);
    }
    ASSERT_TRUE(clients.answer(5));
  }
  EXPECT_EQ(clients.stop(), 0u) << clients.first_failure();
  EXPECT_EQ(proxy_->process().terminate(), 0);
}

}  // namespace
}  // namespace tessera::test
