#include "cache/digest.h"

#include <string>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

TEST(Digest, IsTheFirstHalfOfSha256) {
  EXPECT_EQ(digest_of("abc").hex(), "ba7816bf8f01cfea414140de5dae2223");  // FIPS 180-4, appendix example
  EXPECT_EQ(digest_of("").hex(), "e3b0c44298fc1c149afbf4c8996fb924");
}

TEST(Digest, IsKeyedAsInTheStandard) {
  // RFC 4231, test cases 1 and 2.
  EXPECT_EQ(keyed_digest(std::string(20, '\x0b'), "Hi There").hex(), "b0344c61d8db38535ca8afceaf0bf12b");
  EXPECT_EQ(keyed_digest("Jefe", "what do ya want for nothing?").hex(), "5bdcc146bf60754e6a042426089575c7");
}

TEST(Digest, TellsPartsApart) {
  EXPECT_NE(digest_of_parts({"a", "bc"}), digest_of_parts({"ab", "c"}));
  EXPECT_NE(digest_of_parts({"a", ""}), digest_of_parts({"a"}));
  EXPECT_NE(digest_of_parts({"", "a"}), digest_of_parts({"a", ""}));
  EXPECT_NE(digest_of_parts({}), digest_of_parts({""}));
  EXPECT_EQ(digest_of_parts({"a", "b"}), digest_of_parts({"a", "b"}));
}

TEST(Digest, TakesBytesInPieces) {
  DigestBuilder builder;
  builder.add("a");
  builder.add("");
  builder.add("bc");
  EXPECT_EQ(builder.finish(), digest_of("abc"));
  DigestBuilder parts;
  parts.add_part("a");
  parts.add_part("bc");
  EXPECT_EQ(parts.finish(), digest_of_parts({"a", "bc"}));
}

TEST(Digest, KeepsBuildersOfOneThreadApart) {
  DigestBuilder outer;
  outer.add("outer");
  {
    DigestBuilder inner;
    inner.add("inner");
    EXPECT_EQ(digest_of("between"), digest_of("between"));
    EXPECT_EQ(inner.finish(), digest_of("inner"));
  }
  EXPECT_EQ(outer.finish(), digest_of("outer"));
}

}  // namespace
}  // namespace tessera::cache
