#include "cache/redis/address.h"

#include <string>

#include <gtest/gtest.h>

namespace tessera::cache::redis {
namespace {

TEST(RedisAddress, ReadsHostPortAndDatabase) {
  const auto address = parse_address("redis://cache.example-1.net:7000/12");
  ASSERT_TRUE(address.has_value()) << address.error();
  EXPECT_EQ(address->kind, Address::Kind::tcp);
  EXPECT_EQ(address->host, "cache.example-1.net");
  EXPECT_EQ(address->port, 7000);
  EXPECT_EQ(address->database, 12u);
  EXPECT_EQ(address->user, "");
  EXPECT_EQ(address->password, "");
}

TEST(RedisAddress, HasDefaults) {
  for (const char* text : {"redis://host", "redis://host/", "redis://host:6379", "redis://host:6379/0"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address.has_value()) << text << ": " << address.error();
    EXPECT_EQ(address->port, 6379) << text;
    EXPECT_EQ(address->database, 0u) << text;
  }
}

TEST(RedisAddress, ReadsCredentialsPercentDecoded) {
  const auto both = parse_address("rediss://al%3Aice:p%40ss%2Fw%25rd@host:1/0");
  ASSERT_TRUE(both.has_value()) << both.error();
  EXPECT_EQ(both->kind, Address::Kind::tls);
  EXPECT_EQ(both->user, "al:ice");
  EXPECT_EQ(both->password, "p@ss/w%rd");
  const auto password = parse_address("redis://:se:cret@host");
  ASSERT_TRUE(password.has_value()) << password.error();
  EXPECT_EQ(password->user, "");
  EXPECT_EQ(password->password, "se:cret");
}

TEST(RedisAddress, ReadsIpv6InBrackets) {
  const auto address = parse_address("redis://:pw@[::1]:7001");
  ASSERT_TRUE(address.has_value()) << address.error();
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 7001);
  EXPECT_EQ(to_string(*address), "redis://[::1]:7001");
}

TEST(RedisAddress, ReadsUnixSockets) {
  const auto address = parse_address("unix://bob:pw@/run/re%20dis/redis.sock?db=3");
  ASSERT_TRUE(address.has_value()) << address.error();
  EXPECT_EQ(address->kind, Address::Kind::unix_socket);
  EXPECT_EQ(address->path, "/run/re dis/redis.sock");
  EXPECT_EQ(address->database, 3u);
  EXPECT_EQ(address->user, "bob");
  EXPECT_EQ(address->password, "pw");
  EXPECT_EQ(parse_address("unix:///tmp/with@sign.sock")->path, "/tmp/with@sign.sock");
}

TEST(RedisAddress, IsPrintedWithoutCredentials) {
  EXPECT_EQ(to_string(*parse_address("redis://u:secret@host:1/2")), "redis://host:1/2");
  EXPECT_EQ(to_string(*parse_address("rediss://:secret@host")), "rediss://host:6379");
  EXPECT_EQ(to_string(*parse_address("unix://:secret@/a/b?db=4")), "unix:///a/b?db=4");
}

struct BadAddress {
  const char* text;
  const char* says;
};

class RedisAddressFault : public testing::TestWithParam<BadAddress> {};

TEST_P(RedisAddressFault, IsASentenceThatNamesTheProblem) {
  const auto address = parse_address(GetParam().text);
  ASSERT_TRUE(address.has_error()) << GetParam().text;
  EXPECT_NE(address.error().find(GetParam().says), std::string::npos)
      << GetParam().text << ": " << address.error();
  EXPECT_EQ(address.error().find("secret"), std::string::npos)
      << "the password is repeated: " << address.error();
}

INSTANTIATE_TEST_SUITE_P(
    All, RedisAddressFault,
    testing::Values(BadAddress{"", "starts with"}, BadAddress{"localhost:6379", "starts with"},
                    BadAddress{"http://host", "starts with"}, BadAddress{"REDIS//host", "starts with"},
                    BadAddress{"redis://", "host name"}, BadAddress{"redis:///0", "host name"},
                    BadAddress{"redis://ho st", "host name"}, BadAddress{"redis://:6379", "host name"},
                    BadAddress{"redis://host:", "port"}, BadAddress{"redis://host:0", "port"},
                    BadAddress{"redis://host:65536", "port"}, BadAddress{"redis://host:12x", "port"},
                    BadAddress{"redis://host:1:2", "port"}, BadAddress{"redis://host/x", "database"},
                    BadAddress{"redis://host/1/2", "database"}, BadAddress{"redis://host/-1", "database"},
                    BadAddress{"redis://host/99999999999999999999", "database"},
                    BadAddress{"redis://host?db=1", "'?'"}, BadAddress{"redis://host/0#x", "'#'"},
                    BadAddress{"redis://secret@host", "password"},
                    BadAddress{"redis://user:@host", "password"},
                    BadAddress{"redis://:secret%4@host", "percent"},
                    BadAddress{"redis://:secret%zz@host", "percent"}, BadAddress{"redis://[::1", "brackets"},
                    BadAddress{"redis://[host]", "brackets"}, BadAddress{"redis://[::1]x", "']'"},
                    BadAddress{"redis://::1", "host name"}, BadAddress{"unix://relative/path", "absolute"},
                    BadAddress{"unix://", "absolute"}, BadAddress{"unix:///a?database=1", "?db="},
                    BadAddress{"unix:///a?db=x", "database"}, BadAddress{"unix:///a%00b", "NUL"}));

TEST(RedisAddress, RefusesSocketPathsThatTheKernelWouldCut) {
  EXPECT_TRUE(parse_address("unix:///" + std::string(106, 'x')).has_value());
  EXPECT_TRUE(parse_address("unix:///" + std::string(107, 'x')).has_error());
}

}  // namespace
}  // namespace tessera::cache::redis
