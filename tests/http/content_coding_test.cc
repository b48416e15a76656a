#include "http/content_coding.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace tessera::http {
namespace {

constexpr int kGzip = MAX_WBITS + 16;
constexpr int kZlib = MAX_WBITS;
constexpr int kRaw = -MAX_WBITS;

std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(DecodeGzip, UndoesEachKind) {
  const std::string text(200'000, 'a');
  for (const int kind : {kGzip, kZlib, kRaw}) {
    EXPECT_EQ(*decode_gzip(deflated(text, kind), text.size()), text) << kind;
    EXPECT_EQ(*decode_gzip(deflated("", kind), 0), "") << kind;
  }
}

TEST(DecodeGzip, ReadsEveryMember) {
  EXPECT_EQ(*decode_gzip(deflated("ab", kGzip) + deflated("cd", kGzip), 4), "abcd");
}

TEST(DecodeGzip, BoundsTheOutput) {
  const auto bomb = deflated(std::string(50'000'000, '\0'), kGzip);
  EXPECT_EQ(decode_gzip(bomb, 1'000'000).error(), Error::body_too_large);
  EXPECT_EQ(decode_gzip(deflated("abc", kGzip), 2).error(), Error::body_too_large);
  EXPECT_TRUE(decode_gzip(deflated("abc", kGzip), 3).has_value());
}

TEST(DecodeGzip, RefusesWhatIsBrokenCutOrFollowedByMore) {
  auto bytes = deflated("some text that is long enough", kGzip);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(decode_gzip(std::string_view(bytes).substr(0, size), 1000).error(), Error::bad_coding) << size;
  }
  EXPECT_EQ(decode_gzip(bytes + "x", 1000).error(), Error::bad_coding);
  bytes[bytes.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(decode_gzip(bytes, 1000).error(), Error::bad_coding);
  EXPECT_EQ(decode_gzip("{\"plain\":\"json\"}", 1000).error(), Error::bad_coding);
}

}  // namespace
}  // namespace tessera::http
