// The example of the root README: an Express application of a few lines behind the proxy.
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/http_request.h"
#include "tests/support/process.h"
#include "tests/support/programs.h"

namespace tessera::test {
namespace {

class ExpressExample : public testing::Test {
 protected:
  ExpressExample()
      : application_("node", {TESSERA_EXAMPLES "/express/server.js", "0"},
                     {{"NODE_PATH", "/usr/share/nodejs"}}) {
    const std::string line = application_.wait_for_line("listening on");
    url_ = line.substr(line.find("http://"));
    proxy_.emplace(url_, std::vector<std::string>{"--config", TESSERA_EXAMPLES "/express/tessera.toml"});
  }

  Process application_;
  std::string url_;
  std::optional<ProxyProgram> proxy_;
};

TEST_F(ExpressExample, IsAnsweredFromTheCacheAndByteEqual) {
  const Reply expected = get(url_ + "/courses");
  ASSERT_EQ(expected.status, 200) << expected.error;
  EXPECT_EQ(proxy_->get("/courses").body, expected.body);
  EXPECT_TRUE(proxy_->comes_to_hit("/courses"));
  EXPECT_EQ(proxy_->get("/courses").body, expected.body);
}

TEST_F(ExpressExample, ShowsAChangeAtOnce) {
  proxy_->get("/courses");
  const Reply changed =
      request("PUT", url_ + "/courses/2", {{"Content-Type", "application/json"}}, R"({"title":"changed"})");
  ASSERT_EQ(changed.status, 200) << changed.error;
  const Reply reply = proxy_->get("/courses");
  EXPECT_EQ(reply.body, get(url_ + "/courses").body);
  EXPECT_NE(reply.body.find("\"changed\""), std::string::npos);
}

TEST_F(ExpressExample, FiltersBehindTheProxyToo) {
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(proxy_->get("/courses?ids=2,3").body, get(url_ + "/courses?ids=2,3").body);
  }
}

}  // namespace
}  // namespace tessera::test
