#include "http/message.h"

#include <gtest/gtest.h>

#include "tests/http/harness.h"

namespace tessera::http {
namespace {

using testing::PieceSource;

Result<std::string> read(PieceSource source, std::size_t limit) {
  testing::Loops loops;
  Result<std::string> result;
  auto run = [&]() -> Task<void> { result = co_await read_all(source, limit, testing::soon()); };
  loops.run(run);
  return result;
}

TEST(RequestHead, SplitsTargetAtTheFirstQuestionMark) {
  RequestHead head;
  head.target = "/a?b?c";
  EXPECT_EQ(head.path(), "/a");
  EXPECT_EQ(head.query(), "b?c");
  head.target = "/a";
  EXPECT_EQ(head.path(), "/a");
  EXPECT_FALSE(head.query().has_value());
  head.target = "/a?";
  EXPECT_EQ(head.query(), "");
}

TEST(ReasonPhrase, IsEmptyForUnknownStatuses) {
  EXPECT_EQ(reason_phrase(304), "Not Modified");
  EXPECT_EQ(reason_phrase(299), "");
}

TEST(ReadAll, JoinsThePieces) {
  EXPECT_EQ(*read(PieceSource({"ab", "c", "def"}), 6), "abcdef");
  EXPECT_EQ(*read(PieceSource({"ab", "c", "def"}, 6), 6), "abcdef");
  EXPECT_EQ(*read(PieceSource({}), 0), "");
}

TEST(ReadAll, ReadsBodiesLargerThanOneStep) {
  const std::string large(300'000, 'x');
  EXPECT_EQ(*read(PieceSource({large, "y"}), 1'000'000), large + "y");
  EXPECT_EQ(*read(PieceSource({large, "y"}, 300'001), 300'001), large + "y");
}

TEST(ReadAll, RefusesADeclaredLengthBeforeReading) {
  const auto failure = make_error_code(Error::closed);  // reading would show it
  EXPECT_EQ(read(PieceSource({}, 11, failure), 10).error(), Error::body_too_large);
}

TEST(ReadAll, RefusesOneByteTooMany) {
  EXPECT_EQ(read(PieceSource({"12345", "67890", "1"}), 10).error(), Error::body_too_large);
  EXPECT_TRUE(read(PieceSource({"12345", "67890"}), 10).has_value());
}

TEST(ReadAll, PassesTheSourcesErrorOn) {
  EXPECT_EQ(read(PieceSource({"1"}, 5, make_error_code(Error::incomplete_body)), 10).error(),
            Error::incomplete_body);
}

TEST(ReadAll, TakesAHugeLimit) {
  EXPECT_EQ(*read(PieceSource({"1"}), static_cast<std::size_t>(-1)), "1");
}

TEST(Problem, IsEscapedJson) {
  const auto response = problem(404, "no \"x\\y\"\n\x01 here");
  EXPECT_EQ(response.head.status, 404);
  EXPECT_EQ(response.head.fields.get("Content-Type"), "application/problem+json");
  EXPECT_EQ(
      std::get<std::string>(response.body),
      R"({"type":"about:blank","title":"Not Found","status":404,"detail":"no \"x\\y\"\u000a\u0001 here"})");
}

TEST(Problem, ReplacesWhatIsNotUtf8) {
  const auto detail = [](std::string_view text) {
    const auto response = problem(400, text);
    const auto body = std::get<std::string>(response.body);
    const auto at = body.find("\"detail\":\"") + 10;
    return body.substr(at, body.size() - at - 2);
  };
  EXPECT_EQ(detail("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(detail("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(detail("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(detail("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  EXPECT_EQ(detail("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // an overlong NUL
}

}  // namespace
}  // namespace tessera::http
