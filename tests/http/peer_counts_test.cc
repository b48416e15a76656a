#include "http/peer_counts.h"

#include <gtest/gtest.h>

#include "tests/http/harness.h"

namespace tessera::http {
namespace {

TEST(PeerCounts, CountsEachClientByItself) {
  PeerCounts counts(2);
  EXPECT_TRUE(counts.enter("10.0.0.1"));
  EXPECT_TRUE(counts.enter("10.0.0.1"));
  EXPECT_FALSE(counts.enter("10.0.0.1"));
  EXPECT_TRUE(counts.enter("10.0.0.2"));
  counts.leave("10.0.0.1");
  EXPECT_TRUE(counts.enter("10.0.0.1"));
}

TEST(PeerCounts, TakesA64OfIpv6ForOneClient) {
  PeerCounts counts(1);
  EXPECT_TRUE(counts.enter("2001:db8:0:1::1"));
  EXPECT_FALSE(counts.enter("2001:db8:0:1:ffff::2"));
  EXPECT_TRUE(counts.enter("2001:db8:0:2::1"));
  EXPECT_TRUE(counts.enter("fe80::1%lo"));
  EXPECT_FALSE(counts.enter("fe80::2%lo"));
  EXPECT_TRUE(counts.enter("::ffff:10.0.0.1"));
  EXPECT_TRUE(counts.enter("::ffff:10.0.0.2"));
}

TEST(PeerCounts, TakesAMappedAddressForTheIpv4OneThatItHolds) {
  PeerCounts counts(1);
  EXPECT_TRUE(counts.enter("::ffff:10.0.0.1"));
  EXPECT_FALSE(counts.enter("10.0.0.1"));
  EXPECT_FALSE(counts.enter("::ffff:a00:1"));
  counts.leave("10.0.0.1");
  EXPECT_TRUE(counts.enter("10.0.0.1"));
}

TEST(PeerCounts, ClosesOnAClientThatHasAsManyAsItMay) {
  ServerOptions options;
  options.peers = std::make_shared<PeerCounts>(1);
  testing::TestServer server(testing::answer("x"), options);
  auto first = server.connect();
  first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(first.read_response().body, "x");
  EXPECT_TRUE(server.connect().at_end());
  first.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(first.read_response().body, "x");
  EXPECT_TRUE(first.at_end());
  // The server may close a moment before it has counted.
  std::string answer;
  const auto until = testing::soon();
  while (answer.empty() && std::chrono::steady_clock::now() < until) {
    answer = server.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  }
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
}

}  // namespace
}  // namespace tessera::http
