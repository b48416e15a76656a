#include "config/network.h"

#include <string>

#include <gtest/gtest.h>

namespace tessera::config {
namespace {

bool holds(std::string_view network, std::string_view address) {
  const auto parsed = parse_network(network);
  const auto ip = parse_ip(address);
  EXPECT_TRUE(parsed) << network;
  EXPECT_TRUE(ip) << address;
  return parsed && ip && parsed->contains(*ip);
}

TEST(Network, HoldsTheAddressesBehindItsPrefix) {
  EXPECT_TRUE(holds("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(holds("192.0.2.64/26", "192.0.2.127"));
  EXPECT_FALSE(holds("192.0.2.64/26", "192.0.2.128"));
  EXPECT_TRUE(holds("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(holds("192.0.2.7", "192.0.2.6"));
  EXPECT_TRUE(holds("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(holds("fd00::/8", "fdff::1"));
  EXPECT_FALSE(holds("fd00::/8", "fe00::1"));
  EXPECT_TRUE(holds("::/0", "192.0.2.7"));
}

TEST(Network, TakesAMappedAddressForTheIpv4OneAndLooksAtNoZone) {
  EXPECT_TRUE(holds("127.0.0.0/8", "::ffff:127.0.0.1"));
  EXPECT_TRUE(holds("::ffff:127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(holds("fe80::/10", "fe80::1%eth0"));
}

TEST(Network, RefusesWhatIsNone) {
  for (const std::string text :
       {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "::/129", "::1/64", "localhost", "*",
        "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/+8", "010.0.0.0/8", "fe80::1%eth0", "10.0.0.0 /8"}) {
    EXPECT_FALSE(parse_network(text)) << text;
  }
  EXPECT_FALSE(parse_ip(std::string("10.0.0.1\0", 9)));
  EXPECT_FALSE(parse_ip(std::string(100, '1')));
}

}  // namespace
}  // namespace tessera::config
