#include "config/address.h"

#include <gtest/gtest.h>

namespace tessera::config {
namespace {

TEST(Address, ReadsHostsWithAndWithoutPort) {
  EXPECT_EQ(parse_host_port("127.0.0.1:8080"), (HostPort{"127.0.0.1", 8080}));
  EXPECT_EQ(parse_host_port("[::1]:0"), (HostPort{"::1", 0}));
  EXPECT_EQ(parse_host_port("LocalHost"), (HostPort{"localhost", std::nullopt}));
  EXPECT_EQ(parse_host_port("[fe80::1]"), (HostPort{"fe80::1", std::nullopt}));
}

TEST(Address, RefusesWhatIsNoHost) {
  for (const auto* text : {"", ":80", "a:", "a:b", "a:65536", "a:-1", "a:1:2", "::1", "[::1", "[::1]80",
                           "[a]:1", "user@host:1", "a b:1", "a/b", "[]:1", "a:+1"}) {
    EXPECT_FALSE(parse_host_port(text)) << text;
  }
}

TEST(Address, KnowsLoopbackByItsNumbersAndNotByItsLooks) {
  for (const auto* host : {"localhost", "127.0.0.1", "127.255.0.3", "::1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const auto* host : {"127.0.0.1.example.com", "127.0.0", "127.0.0.256", "127.0.0.1.", "0.0.0.0",
                           "::", "10.0.0.1", "localhost.example.com", "1127.0.0.1", "127..0.1", ""}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace tessera::config
