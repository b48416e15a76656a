// SIGHUP and POST /reload: what changes, what does not, and that nobody notices.
#include <csignal>
#include <string>

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
  EXPECT_THAT(status(), HasSubstr("tessera; hit"));
  write(item_config("mode = \"pass\"\n"));
  EXPECT_EQ(reload().status, 200);
  EXPECT_THAT(status(), HasSubstr("switched-off"));
  write(item_config());
  EXPECT_EQ(reload().status, 200);
  EXPECT_THAT(status(), HasSubstr("tessera; hit"));
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
  EXPECT_THAT(status(), HasSubstr("tessera; hit"));
  proxy_->process().signal(SIGHUP);
  EXPECT_THAT(proxy_->process().wait_for_line("no setting heat"), HasSubstr("t.toml:3"));
  EXPECT_THAT(status(), HasSubstr("tessera; hit"));
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
