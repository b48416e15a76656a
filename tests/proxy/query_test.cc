#include "proxy/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_literals;

TEST(Query, IsSplitAtAmpersandsOnly) {
  EXPECT_THAT(query_pieces(""), IsEmpty());
  EXPECT_THAT(query_pieces("&&"), IsEmpty());
  EXPECT_THAT(query_pieces("a"), ElementsAre("a"));
  EXPECT_THAT(query_pieces("&a=1&&b=2;c=3&"), ElementsAre("a=1", "b=2;c=3"));
  EXPECT_THAT(query_pieces("a=%26&b==&=c"), ElementsAre("a=%26", "b==", "=c"));
}

TEST(Query, DecodesNames) {
  struct Row {
    std::string_view piece;
    std::string name;
  };
  const Row rows[] = {
      {"page=2", "page"},
      {"page", "page"},
      {"", ""},
      {"=x", ""},
      {"p%61ge=2", "page"},
      {"P%41GE", "PAGE"},
      {"a+b=1", "a b"},
      {"a%2Bb", "a+b"},
      {"a%3Db=c", "a=b"},
      {"a%00b", "a\0b"s},
      {"a%zz", "a%zz"},
      {"a%4", "a%4"},
      {"%", "%"},
      {"%%34", "%4"},
      {"%2541", "%41"},
      {"fields%5Bcourses%5D=x", "fields[courses]"},
      {"%C3%A9=1", "\xC3\xA9"},
      {"%e2%82", "\xE2\x82"s},
      {"a%3db", "a=b"},
  };
  for (const auto& row : rows) EXPECT_EQ(query_name(row.piece), row.name) << row.piece;
}

TEST(Query, GivesTheFirstValueOfAName) {
  EXPECT_EQ(query_value("a=1&b=2", "b"), "2");
  EXPECT_EQ(query_value("a=1&a=2", "a"), "1");
  EXPECT_EQ(query_value("%61=x%2fy+z", "a"), "x/y z");
  EXPECT_EQ(query_value("a=b=c", "a"), "b=c");
  EXPECT_EQ(query_value("a", "a"), "");
  EXPECT_EQ(query_value("a=", "a"), "");
  EXPECT_EQ(query_value("A=1", "a"), std::nullopt);
  EXPECT_EQ(query_value("", "a"), std::nullopt);
}

TEST(Query, LeavesOutPiecesByTheirDecodedName) {
  struct Row {
    std::string_view query;
    std::vector<std::string> names;
    std::string_view kept;
  };
  const Row rows[] = {
      {"", {"page"}, ""},
      {"page=2", {"page"}, ""},
      {"page=2", {}, "page=2"},
      {"page=2&q=a%20b&page=3", {"page"}, "q=a%20b"},
      {"b=1&a=2&b=3", {"a"}, "b=1&b=3"},
      {"p%61ge=2&x=1", {"page"}, "x=1"},
      {"page", {"page"}, ""},
      {"page[number]=1&page=2", {"page"}, "page[number]=1"},
      {"page%5Bnumber%5D=1&page=2", {"page[number]"}, "page=2"},
      {"&&a=%zz&&&b=+&", {"c"}, "a=%zz&b=+"},
      {"PAGE=1&page=2", {"page"}, "PAGE=1"},
      {"x=page&page%00=1", {"page"}, "x=page&page%00=1"},
      {"a=1;page=2", {"page"}, "a=1;page=2"},
      {"ids=1&%69ds=2&i%64s=3&q=4", {"ids"}, "q=4"},
  };
  for (const auto& row : rows) EXPECT_EQ(query_without(row.query, row.names), row.kept) << row.query;
}

TEST(Query, KeepsWhatASemicolonMayMakeTwoOf) {
  for (const char* query : {"page=1;lang=de", "page=1%3Blang=de", "page=1%3blang=de"}) {
    EXPECT_EQ(query_without(query, {"page"}), query);
  }
}

TEST(Query, KeepsWhatItKeepsByteForByte) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '&') every_byte += static_cast<char>(byte);
  }
  EXPECT_EQ(query_without("x=1&" + every_byte + "&y=2", {"x", "y"}), every_byte);
}

TEST(Query, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(percent_encode(""), "");
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(percent_encode("a b+c,d&e=f%g/h?i#j"), "a%20b%2Bc%2Cd%26e%3Df%25g%2Fh%3Fi%23j");
  EXPECT_EQ(percent_encode("\0\r\n\x7f"s), "%00%0D%0A%7F");
  EXPECT_EQ(percent_encode("\xC3\xA9"), "%C3%A9");
}

TEST(Query, DecodesWhatItEncodes) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  EXPECT_EQ(query_name(percent_encode(every_byte)), every_byte);
  EXPECT_EQ(query_value("v=" + percent_encode(every_byte), "v"), every_byte);
}

}  // namespace
}  // namespace tessera::proxy
