#include "cache/redis/command.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache::redis {
namespace {

using namespace std::string_literals;

TEST(RedisCommand, IsAnArrayOfBulkStrings) {
  std::string request;
  append_command(request, {"PING"});
  append_command(request, {"SET", "key", ""});
  EXPECT_EQ(request, "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n");
}

TEST(RedisCommand, KeepsKeysByteForByte) {
  std::string request;
  const std::vector<std::string> keys{"a\0\r\n$1"s, std::string(1'000, 'k')};
  append_command(request, {"MGET"}, keys);
  EXPECT_EQ(request, "*3\r\n$4\r\nMGET\r\n$6\r\na\0\r\n$1\r\n$1000\r\n"s + keys[1] + "\r\n");
}

}  // namespace
}  // namespace tessera::cache::redis
