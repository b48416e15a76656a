#include "proxy/reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/route_digest.h"

namespace tessera::proxy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NeedsRestart, NamesWhatARunningProcessCannotChange) {
  const config::Settings running;
  auto wanted = running;
  wanted.limits.head.value *= 2;
  wanted.origin.url = {"http://elsewhere:1"};
  wanted.log.level = "debug";
  wanted.routes.resize(3);
  EXPECT_THAT(needs_restart(running, wanted), IsEmpty());
  wanted.listen.address = "127.0.0.1:1";
  wanted.listen.threads = 7;
  wanted.memory.l1.value = 0;
  EXPECT_THAT(needs_restart(running, wanted),
              ElementsAre("listen.address = \"127.0.0.1:1\" needs a restart; running is \"127.0.0.1:8080\"",
                          "listen.threads = 7 needs a restart; running is 0",
                          "memory.l1 = 0 needs a restart; running is \"256MiB\""));
}

TEST(RouteDigest, ChangesWithWhateverDecidesHowWhatIsKeptReads) {
  const config::RouteSettings route;
  EXPECT_EQ(route_digest(route).size(), 12u);
  auto same = route;
  same.mode = config::RouteMode::pass;
  same.settle += config::Millis{1};
  same.verify = 1.0;
  EXPECT_EQ(route_digest(same), route_digest(route));
  auto other = route;
  other.array = "";  // of the whole document, where unset means that it is found
  EXPECT_NE(route_digest(other), route_digest(route));
  other = route;
  other.included = "/included";
  EXPECT_NE(route_digest(other), route_digest(route));
  other = route;
  other.list_params.clear();
  EXPECT_NE(route_digest(other), route_digest(route));
}

}  // namespace
}  // namespace tessera::proxy
