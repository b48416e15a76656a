#include "http/fields.h"

#include <gtest/gtest.h>

namespace tessera::http {
namespace {

using Elements = std::vector<std::string_view>;

TEST(Fields, NamesCompareWithoutCase) {
  Fields fields;
  ASSERT_TRUE(fields.add("Content-Type", "text/plain"));
  EXPECT_EQ(fields.get("content-TYPE"), "text/plain");
  EXPECT_FALSE(fields.get("Content-Typ").has_value());
}

TEST(Fields, LinesKeepTheirOrderAndJoin) {
  Fields fields;
  fields.add("Vary", "Accept");
  fields.add("Via", "a");
  fields.add("vary", "Cookie");
  EXPECT_EQ(fields.joined("VARY"), "Accept, Cookie");
  EXPECT_EQ(fields.count("Vary"), 2u);
  EXPECT_EQ(fields.begin()->name, "Vary");
  EXPECT_EQ(fields.joined("Absent"), "");
}

TEST(Fields, SetReplacesAllLinesInTheFirstOnesPlace) {
  Fields fields;
  fields.add("A", "1");
  fields.add("B", "2");
  fields.add("a", "3");
  ASSERT_TRUE(fields.set("A", "4"));
  EXPECT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields.begin()->value, "4");
}

TEST(Fields, SetTakesAValueOutOfItself) {
  Fields fields;
  fields.add("A", "a value that is too long for the small string");
  fields.add("A", "2");
  ASSERT_TRUE(fields.set("A", *fields.get("A")));
  EXPECT_EQ(fields.joined("A"), "a value that is too long for the small string");
}

TEST(Fields, RemoveReturnsHowManyLinesWent) {
  Fields fields;
  fields.add("A", "1");
  fields.add("b", "2");
  fields.add("a", "3");
  EXPECT_EQ(fields.remove("A"), 2u);
  EXPECT_EQ(fields.remove("A"), 0u);
  EXPECT_EQ(fields.size(), 1u);
}

TEST(Fields, RefusesWhatWouldSplitAMessage) {
  Fields fields;
  fields.add("A", "1");
  EXPECT_FALSE(fields.set("A", "x\r\nSet-Cookie: evil"));
  EXPECT_FALSE(fields.add("A", "x\ny"));
  EXPECT_FALSE(fields.add("A", std::string_view("x\0y", 3)));
  EXPECT_FALSE(fields.add("A", "x\x7f"));
  EXPECT_FALSE(fields.add("A b", "1"));
  EXPECT_FALSE(fields.add("A:", "1"));
  EXPECT_FALSE(fields.add("", "1"));
  EXPECT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields.get("A"), "1");
}

TEST(Fields, AcceptsTabsAndBytesAbove127) {
  Fields fields;
  EXPECT_TRUE(fields.add("A", "a\tb"));
  EXPECT_TRUE(fields.add("B", "\xC3\xA9"));
}

TEST(Fields, TokensAreFoundOnEveryLineAndOnlyWhole) {
  Fields fields;
  fields.add("Connection", "foo ,  Keep-Alive");
  fields.add("Connection", "bar");
  EXPECT_TRUE(fields.has_token("connection", "keep-alive"));
  EXPECT_TRUE(fields.has_token("connection", "BAR"));
  EXPECT_FALSE(fields.has_token("connection", "keep"));
  EXPECT_FALSE(fields.has_token("Upgrade", "bar"));
}

TEST(ListElements, TrimsAndLeavesEmptyOnesOut) {
  EXPECT_EQ(list_elements(" a ,, b\t,c,"), (Elements{"a", "b", "c"}));
  EXPECT_EQ(list_elements(" , "), Elements{});
  EXPECT_EQ(list_elements(""), Elements{});
}

TEST(ListElements, CommasInQuotesDoNotSeparate) {
  EXPECT_EQ(list_elements(R"(W/"a,b", "c\",d" ,e)"), (Elements{R"(W/"a,b")", R"("c\",d")", "e"}));
}

TEST(ListElements, AnUnfinishedQuoteReachesToTheEnd) {
  EXPECT_EQ(list_elements(R"(a, "b, c)"), (Elements{"a", R"("b, c)"}));
  EXPECT_EQ(list_elements("\"b\\"), (Elements{"\"b\\"}));
}

}  // namespace
}  // namespace tessera::http
