#include "proxy/preconditions.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

constexpr std::string_view kEtag = R"("abc")";

struct Row {
  std::vector<http::Field> fields;
  Precondition expected;
};

void check(const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    http::Fields request;
    std::string text;
    for (const auto& field : row.fields) {
      ASSERT_TRUE(request.add(field.name, field.value));
      text += field.name + ": " + field.value + "\n";
    }
    EXPECT_EQ(evaluate(request, kEtag), row.expected) << text;
  }
}

constexpr auto kProceed = Precondition::proceed;
constexpr auto kNotModified = Precondition::not_modified;
constexpr auto kFailed = Precondition::precondition_failed;

TEST(Preconditions, ComparesIfNoneMatchWeakly) {
  check({
      {{}, kProceed},
      {{{"If-None-Match", R"("abc")"}}, kNotModified},
      {{{"if-none-match", R"("abc")"}}, kNotModified},
      {{{"If-None-Match", R"(W/"abc")"}}, kNotModified},
      {{{"If-None-Match", R"("ABC")"}}, kProceed},
      {{{"If-None-Match", R"("abcd")"}}, kProceed},
      {{{"If-None-Match", R"("ab")"}}, kProceed},
      {{{"If-None-Match", R"("x", "abc")"}}, kNotModified},
      {{{"If-None-Match", R"("x","y" ,W/"abc","z")"}}, kNotModified},
      {{{"If-None-Match", R"("x")"}, {"If-None-Match", R"("abc")"}}, kNotModified},
      {{{"If-None-Match", "*"}}, kNotModified},
      {{{"If-None-Match", " * "}}, kNotModified},
      {{{"If-None-Match", ""}}, kProceed},
  });
}

TEST(Preconditions, ComparesIfMatchStrongly) {
  check({
      {{{"If-Match", R"("abc")"}}, kProceed},
      {{{"If-Match", R"(W/"abc")"}}, kFailed},
      {{{"If-Match", R"("x", "abc")"}}, kProceed},
      {{{"If-Match", R"("x", W/"abc")"}}, kFailed},
      {{{"If-Match", R"("x")"}}, kFailed},
      {{{"If-Match", "*"}}, kProceed},
      {{{"If-Match", ""}}, kFailed},
  });
}

TEST(Preconditions, AsksIfMatchFirst) {
  check({
      {{{"If-Match", R"("x")"}, {"If-None-Match", R"("abc")"}}, kFailed},
      {{{"If-Match", R"("abc")"}, {"If-None-Match", R"("abc")"}}, kNotModified},
      {{{"If-Match", "*"}, {"If-None-Match", R"("x")"}}, kProceed},
  });
}

TEST(Preconditions, TakesMalformedTagsForNoMatch) {
  check({
      {{{"If-None-Match", "abc"}}, kProceed},
      {{{"If-None-Match", R"("abc)"}}, kProceed},
      {{{"If-None-Match", R"(abc")"}}, kProceed},
      {{{"If-None-Match", R"(w/"abc")"}}, kProceed},
      {{{"If-None-Match", R"(W"abc")"}}, kProceed},
      {{{"If-None-Match", R"("abc"x)"}}, kProceed},
      {{{"If-None-Match", R"(x"abc")"}}, kProceed},
      {{{"If-None-Match", R"(, ,, "abc",)"}}, kNotModified},
      {{{"If-None-Match", R"(bad, "abc")"}}, kNotModified},
      {{{"If-None-Match", R"("abc"x, "abc")"}}, kNotModified},
      {{{"If-None-Match", R"(*, "x")"}}, kProceed},
      {{{"If-Match", "abc"}}, kFailed},
      {{{"If-Match", R"(*, "x")"}}, kFailed},
  });
}

TEST(Preconditions, ReadsCommasAndBackslashesWithinATagAsTheyAre) {
  http::Fields request;
  request.add("If-None-Match", R"("a\", "b,c")");
  EXPECT_EQ(evaluate(request, R"("b,c")"), kNotModified);
  EXPECT_EQ(evaluate(request, R"("a\")"), kNotModified);
  EXPECT_EQ(evaluate(request, R"(", ")"), kProceed);
  EXPECT_EQ(evaluate(request, R"("c")"), kProceed);
}

TEST(Preconditions, IgnoresDatesAndRanges) {
  check({
      {{{"If-Modified-Since", "Sun, 06 Nov 2094 08:49:37 GMT"}}, kProceed},
      {{{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}, kProceed},
      {{{"Range", "bytes=0-3"}, {"If-Range", R"("x")"}}, kProceed},
  });
}

TEST(Preconditions, MatchesNothingWithoutAnEntityTag) {
  http::Fields request;
  request.add("If-None-Match", R"("")");
  EXPECT_EQ(evaluate(request, ""), kProceed);
  EXPECT_EQ(evaluate(request, R"("")"), kNotModified);
}

}  // namespace
}  // namespace tessera::proxy
