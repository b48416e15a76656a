#include "http/chunked.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

constexpr std::string_view kBody = "5\r\nhello\r\n1;x=y\r\n,\r\nA\r\n 123456789\r\n000\r\nT: 1\r\n\r\n";
constexpr std::string_view kDecoded = "hello, 123456789";

// Feeds `bytes` in pieces of `step`, into room for `room` bytes at a time.
Result<std::string> decode(std::string_view bytes, std::size_t step, std::size_t room, std::string& rest) {
  ChunkedDecoder decoder;
  std::string out;
  std::string held;
  std::string space(room, '\0');
  for (;;) {
    const auto result = decoder.decode(held, space);
    if (!result) return result.error();
    held.erase(0, result->consumed);
    out.append(space, 0, result->produced);
    if (decoder.done()) break;
    if (result->consumed != 0 || result->produced != 0) continue;
    if (bytes.empty()) return Error::incomplete_body;
    const auto count = std::min(step, bytes.size());
    held.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
  }
  rest = held + std::string(bytes);
  return out;
}

TEST(ChunkedDecoder, TheWayItArrivesDoesNotMatter) {
  for (std::size_t step = 1; step <= kBody.size(); ++step) {
    for (std::size_t room = 1; room <= 20; ++room) {
      std::string rest;
      const auto decoded = decode(kBody, step, room, rest);
      ASSERT_TRUE(decoded) << step << ' ' << room;
      EXPECT_EQ(*decoded, kDecoded) << step << ' ' << room;
      EXPECT_EQ(rest, "");
    }
  }
}

TEST(ChunkedDecoder, StopsExactlyBehindTheLastChunk) {
  const std::string bytes = std::string(kBody) + "GET /";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    std::string rest;
    ASSERT_TRUE(decode(bytes, step, 7, rest)) << step;
    EXPECT_EQ(rest, "GET /") << step;
  }
}

TEST(ChunkedDecoder, AnEmptyBodyIsDoneAtOnce) {
  ChunkedDecoder decoder;
  char space[1];
  const auto step = decoder.decode("0\r\n\r\n", space);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->consumed, 5u);
  EXPECT_EQ(step->produced, 0u);
  EXPECT_TRUE(decoder.done());
}

TEST(ChunkedDecoder, RefusesAByteThatCannotBeRightWhenItComes) {
  for (const std::string_view bytes : {"x", "5x", "\r", "\n", "5\n", "5\rx", "5;\n", "-", " 5", "1\r\naX",
                                       "1\r\na\n", "0\r\n\n", "0\r\nA\x01", "0\r\n\rx", "0\r\nA b: c\r\n",
                                       "0\r\nA\r\n", "0\r\nA: b\r\n c\r\n", "1234567890123456"}) {
    for (const std::size_t step : {std::size_t{1}, bytes.size()}) {
      std::string rest;
      const auto decoded = decode(bytes, step, 8, rest);
      ASSERT_FALSE(decoded) << bytes;
      EXPECT_EQ(decoded.error(), Error::malformed_message) << bytes;
    }
  }
}

TEST(ChunkedDecoder, KnowsTheGrammarOfExtensions) {
  for (const std::string_view extension :
       {";a", ";a=b", " ; a = b", ";a=\"b;\\\"c\"", ";a;b=c\t;d", ";a=\"\""}) {
    std::string rest;
    EXPECT_TRUE(decode("1" + std::string(extension) + "\r\nx\r\n0\r\n\r\n", 99, 8, rest)) << extension;
  }
  for (const std::string_view extension :
       {";", ";=b", ";a=", ";a=\"b", "a", " ", ";a b", ";a=b c", ";a=\"b\"c"}) {
    std::string rest;
    EXPECT_FALSE(decode("1" + std::string(extension) + "\r\nx\r\n0\r\n\r\n", 99, 8, rest)) << extension;
  }
}

TEST(ChunkedDecoder, KeepsTheTrailersThatMayBeRelayed) {
  ChunkedDecoder decoder;
  char space[8];
  const auto step = decoder.decode(
      "1\r\nx\r\n0\r\nX-Sum: a \r\nContent-Length: 5\r\nx-sum:b\r\nSet-Cookie: c\r\n"
      "X_Forwarded_For: d\r\nETag: \"e\"\r\n\r\n",
      space);
  ASSERT_TRUE(step);
  ASSERT_TRUE(decoder.done());
  const auto* trailers = decoder.trailers();
  ASSERT_NE(trailers, nullptr);
  EXPECT_EQ(trailers->size(), 3u);
  EXPECT_EQ(trailers->joined("X-Sum"), "a, b");
  EXPECT_EQ(trailers->get("ETag"), "\"e\"");
}

TEST(ChunkedDecoder, EveryPrefixIsIncompleteAndNeverDone) {
  for (std::size_t size = 0; size < kBody.size(); ++size) {
    std::string rest;
    const auto decoded = decode(kBody.substr(0, size), 1, 3, rest);
    ASSERT_FALSE(decoded) << size;
    EXPECT_EQ(decoded.error(), Error::incomplete_body) << size;
  }
}

}  // namespace
}  // namespace tessera::http
