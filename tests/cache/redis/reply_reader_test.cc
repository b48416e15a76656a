#include "cache/redis/reply_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache::redis {
namespace {

using namespace std::string_literals;
using Status = ReplyReader::Status;

ReplyReader::Limits limits() {
  ReplyReader::Limits limits;
  limits.reply.elements = 100;
  limits.reply.bytes = 100'000;
  limits.reply.line = 1'000;
  limits.value = 10'000;
  return limits;
}

std::vector<Reply> read_all(ReplyReader& reader) {
  std::vector<Reply> replies;
  for (Reply reply; reader.next(reply);) replies.push_back(reply);
  return replies;
}

// Feeds pieces of `piece` bytes.
Status feed(ReplyReader& reader, std::string_view bytes, std::size_t piece, std::vector<Reply>& replies) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (reader.feed(bytes.substr(0, piece)) != Status::fine) break;
    for (auto& reply : read_all(reader)) replies.push_back(std::move(reply));
  }
  return reader.status();
}

const std::string kEveryKind =
    "+OK\r\n-ERR no\r\n:-42\r\n$-1\r\n$0\r\n\r\n$7\r\na\r\nb\0c\xff\r\n*-1\r\n*0\r\n"
    "*3\r\n$1\r\nx\r\n$-1\r\n*2\r\n:1\r\n$2\r\nyz\r\n"s;

TEST(RedisReplyReader, ReadsEveryKindHoweverTheBytesCome) {
  for (std::size_t piece = 1; piece <= kEveryKind.size(); ++piece) {
    ReplyReader reader(limits());
    std::vector<Reply> replies;
    ASSERT_EQ(feed(reader, kEveryKind, piece, replies), Status::fine) << piece;
    ASSERT_EQ(replies.size(), 9u) << piece;
    EXPECT_EQ(replies[0].kind, Reply::Kind::status);
    EXPECT_EQ(replies[0].text, "OK");
    EXPECT_EQ(replies[1].kind, Reply::Kind::error);
    EXPECT_EQ(replies[1].text, "ERR no");
    EXPECT_EQ(replies[2].integer, -42);
    EXPECT_TRUE(replies[3].is_nil());
    EXPECT_TRUE(replies[4].is_text());
    EXPECT_EQ(replies[4].text, "");
    EXPECT_EQ(replies[5].text, "a\r\nb\0c\xff"s);
    EXPECT_TRUE(replies[6].is_nil());
    EXPECT_EQ(replies[7].kind, Reply::Kind::array);
    EXPECT_TRUE(replies[7].elements.empty());
    ASSERT_EQ(replies[8].elements.size(), 3u);
    EXPECT_EQ(replies[8].elements[0].text, "x");
    EXPECT_TRUE(replies[8].elements[1].is_nil());
    ASSERT_EQ(replies[8].elements[2].elements.size(), 2u);
    EXPECT_EQ(replies[8].elements[2].elements[0].integer, 1);
    EXPECT_EQ(replies[8].elements[2].elements[1].text, "yz");
    EXPECT_TRUE(reader.is_drained());
  }
}

TEST(RedisReplyReader, IsDrainedOnlyWhenEveryByteWasGivenOut) {
  ReplyReader reader(limits());
  EXPECT_TRUE(reader.is_drained());
  reader.feed("+OK");
  EXPECT_FALSE(reader.is_drained());
  reader.feed("\r\n+LATE\r\n");
  Reply reply;
  ASSERT_TRUE(reader.next(reply));
  EXPECT_FALSE(reader.is_drained()) << "a second reply waits";
  ASSERT_TRUE(reader.next(reply));
  EXPECT_EQ(reply.text, "LATE");
  EXPECT_TRUE(reader.is_drained());
}

TEST(RedisReplyReader, TurnsValuesAboveTheLimitIntoNil) {
  ReplyReader reader(limits());
  std::vector<Reply> replies;
  const std::string bytes =
      "*2\r\n$10001\r\n" + std::string(10'001, 'x') + "\r\n$10000\r\n" + std::string(10'000, 'y') + "\r\n";
  ASSERT_EQ(feed(reader, bytes, 4096, replies), Status::fine);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].elements[0].is_nil());
  EXPECT_EQ(replies[0].elements[1].text, std::string(10'000, 'y'));
}

TEST(RedisReplyReader, TakesManyRepliesEachWithinTheLimits) {
  ReplyReader reader(limits());
  std::string bytes = "*100\r\n";
  for (int i = 0; i < 100; ++i) bytes += "$900\r\n" + std::string(900, 'v') + "\r\n";
  std::vector<Reply> replies;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(feed(reader, bytes, 65'536, replies), Status::fine) << i;
  EXPECT_EQ(replies.size(), 20u);
}

struct BadReply {
  const char* name;
  std::string bytes;
  Status status;
};

class RedisReplyReaderFault : public testing::TestWithParam<BadReply> {};

TEST_P(RedisReplyReaderFault, IsNoticedAtOnceHoweverTheBytesCome) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{65'536}}) {
    ReplyReader reader(limits());
    std::vector<Reply> replies;
    EXPECT_EQ(feed(reader, GetParam().bytes, piece, replies), GetParam().status) << piece;
    EXPECT_TRUE(replies.empty()) << piece;
    Reply reply;
    EXPECT_FALSE(reader.next(reply)) << "nothing comes out after a fault";
  }
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

INSTANTIATE_TEST_SUITE_P(
    All, RedisReplyReaderFault,
    testing::Values(BadReply{"Http", "HTTP/1.1 400 Bad Request\r\n", Status::malformed},
                    BadReply{"Resp3Map", "%1\r\n+a\r\n+b\r\n", Status::malformed},
                    BadReply{"Resp3Null", "_\r\n", Status::malformed},
                    BadReply{"Zeros", std::string(3, '\0'), Status::malformed},
                    BadReply{"TlsAlert", "\x15\x03\x01\x00\x02\x02\x46"s, Status::malformed},
                    BadReply{"ArrayOfTwoBillion", "*2147483647\r\n", Status::too_large},
                    BadReply{"ArrayOfMaximum", "*9223372036854775807\r\n", Status::too_large},
                    BadReply{"ArrayBeyond64Bits", "*9223372036854775808\r\n", Status::malformed},
                    BadReply{"ArrayOfMinusTwo", "*-2\r\n", Status::malformed},
                    BadReply{"ArrayWithoutNumber", "*\r\n", Status::malformed},
                    BadReply{"ArrayOfOneTooMany", "*101\r\n", Status::too_large},
                    BadReply{"ArraysTooManyTogether", "*2\r\n*60\r\n" + repeated(":1\r\n", 60) + "*60\r\n",
                             Status::too_large},
                    BadReply{"BulkOfMaximum", "$9223372036854775807\r\n", Status::too_large},
                    BadReply{"BulkBeyond64Bits", "$99999999999999999999\r\n", Status::malformed},
                    BadReply{"BulkOfOneTooMany", "$100001\r\n", Status::too_large},
                    BadReply{"BulkOfMinusTwo", "$-2\r\n", Status::malformed},
                    BadReply{"BulkPlus", "$+5\r\nhello\r\n", Status::malformed},
                    BadReply{"BulkHex", "$0x5\r\nhello\r\n", Status::malformed},
                    BadReply{"BulkSpace", "$ 5\r\nhello\r\n", Status::malformed},
                    BadReply{"BulkWithoutEnd", "$2\r\nabc\r\n", Status::malformed},
                    BadReply{"BulkLineFeedOnly", "$2\nab\r\n", Status::malformed},
                    BadReply{"NumberOfManyDigits", ":" + std::string(500, '1') + "\r\n", Status::malformed},
                    BadReply{"EndlessStatus", "+" + std::string(2'000, 'x'), Status::too_large},
                    BadReply{"StatusWithLineFeed", "+a\nb\r\n", Status::malformed},
                    BadReply{"TwoThousandArrays", repeated("*1\r\n", 2'000), Status::too_large},
                    BadReply{"RepliesTooLargeTogether",
                             "*100\r\n" + repeated("$2000\r\n" + std::string(2'000, 'x') + "\r\n", 60),
                             Status::too_large}),
    [](const testing::TestParamInfo<BadReply>& bad) { return std::string(bad.param.name); });

// Every single change of one byte either reads or is refused; nothing is read out of bounds (run under ASan).
TEST(RedisReplyReader, SurvivesEveryChangedByte) {
  std::size_t refused = 0;
  for (std::size_t at = 0; at < kEveryKind.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = kEveryKind;
      bytes[at] = static_cast<char>(value);
      ReplyReader reader(limits());
      std::vector<Reply> replies;
      if (feed(reader, bytes, 16, replies) != Status::fine) ++refused;
    }
  }
  EXPECT_GT(refused, 1'000u);
}

}  // namespace
}  // namespace tessera::cache::redis
