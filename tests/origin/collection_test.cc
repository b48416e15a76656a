// GET /courses/{rendering} and its parameters.
#include <string>

#include <gtest/gtest.h>

#include "tests/origin/api.h"

namespace tessera::origin {
namespace {

using test::Answer;
using test::Api;

// The ids of the courses of a jbuilder document, in its order, joined by blanks. A course's id follows the
// start of the array or the end of another course; a slide's follows "slides":[ or a slide.
std::string course_ids(const std::string& body) {
  std::string ids;
  const std::string mark = R"({"id":")";
  for (std::size_t at = body.find(mark); at != std::string::npos; at = body.find(mark, at + 1)) {
    const std::size_t value = at + mark.size();
    const std::size_t end = body.find('"', value);
    if (body.compare(end, 10, R"(","title":)") != 0) continue;
    ids += (ids.empty() ? "" : " ") + body.substr(value, end - value);
  }
  return ids;
}

void set_course(Api& api, int id, const std::string& members) {
  ASSERT_EQ(api.change("PATCH", "/courses/" + std::to_string(id), "{" + members + "}").status, 200);
}

TEST(OriginCollection, IsJsonWithValidatorsThatAskForRevalidation) {
  Api api;
  const Answer answer = api.get("/courses/jbuilder");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(answer.field("Cache-Control"), "no-cache");
  EXPECT_EQ(answer.field("Vary"), "Accept");
  EXPECT_EQ(answer.field("Tessera-Revision"), api.database().id() + "-1");
  EXPECT_TRUE(answer.field("ETag").starts_with("\"" + api.database().id() + "-1-"));
  EXPECT_EQ(course_ids(answer.body), "1 2 3");
}

TEST(OriginCollection, AnswersHeadWithTheLengthOfTheBody) {
  Api api;
  const std::size_t length = api.get("/courses/fast_jsonapi").body.size();
  const Answer head = api.send("HEAD", "/courses/fast_jsonapi");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(api.length(), length);
}

TEST(OriginCollection, ShowsTheEnvelopeOfEmptyTables) {
  Api api({0, 0});
  EXPECT_EQ(api.get("/courses/cache_crispies").body, R"({"courses":[]})");
  EXPECT_EQ(api.get("/courses/blueprinter").body, "[]");
  EXPECT_EQ(api.get("/courses/fast_jsonapi").body, R"({"data":[],"included":[]})");
  EXPECT_EQ(api.manifest("/courses/jbuilder").body,
            R"({"schema":")" + api.database().id() + R"(.jbuilder.1.html","records":[]})");
}

TEST(OriginCollection, AnswersNotModifiedToItsOwnTagUntilSomethingIsWritten) {
  Api api;
  const std::string tag = api.get("/courses/jbuilder").field("ETag");
  for (const std::string& condition : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const Answer answer = api.get("/courses/jbuilder", {{"If-None-Match", condition}});
    EXPECT_EQ(answer.status, 304) << condition;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.field("ETag"), tag);
    EXPECT_EQ(answer.field("Tessera-Revision"), api.database().id() + "-1");
    EXPECT_FALSE(answer.fields.has("Content-Type"));
  }
  EXPECT_EQ(api.get("/courses/jbuilder", {{"If-None-Match", "\"other\""}}).status, 200);
  set_course(api, 1, "");
  EXPECT_EQ(api.get("/courses/jbuilder", {{"If-None-Match", tag}}).status, 200);
}

TEST(OriginCollection, HasAnotherTagForOtherContentOfTheSameState) {
  Api api;
  const std::string tag = api.get("/courses/jbuilder").field("ETag");
  EXPECT_NE(api.get("/courses/cache_crispies").field("ETag"), tag);
  EXPECT_NE(api.get("/courses/jbuilder?published=true").field("ETag"), tag);
  EXPECT_NE(api.manifest("/courses/jbuilder").field("ETag"), tag);
}

TEST(OriginCollection, HoldsOnlyTheCoursesThatIdsNames) {
  Api api({12, 1});
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?ids=11,2,2,7").body), "2 7 11");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?ids=3%2C4").body), "3 4");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?ids=99,5").body), "5");
  EXPECT_EQ(api.get("/courses/jbuilder?ids=99").body, R"({"courses":[]})");
}

TEST(OriginCollection, ShowsTheSameBytesOfACourseByIdsAndInFull) {
  Api api({12, 3});
  const std::string all = api.get("/courses/blueprinter").body;
  for (int id = 1; id <= 12; ++id) {
    const std::string one = api.get("/courses/blueprinter?ids=" + std::to_string(id)).body;
    ASSERT_GT(one.size(), 2U);
    EXPECT_NE(all.find(one.substr(1, one.size() - 2)), std::string::npos) << one;
  }
}

TEST(OriginCollection, HoldsOnlyPublishedOrOnlyUnpublishedCourses) {
  Api api;
  set_course(api, 1, R"("published":true)");
  set_course(api, 2, R"("published":false)");
  set_course(api, 3, R"("published":null)");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?published=true").body), "1");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?published=false").body), "2");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?published=true&ids=2,1").body), "1");
}

TEST(OriginCollection, IsSortedAsAsked) {
  Api api({4, 2});
  set_course(api, 1, R"("title":"b")");
  set_course(api, 4, R"("title":"a")");
  set_course(api, 2, R"("title":"c")");
  set_course(api, 3, R"("title":"a")");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?sort=id").body), "1 2 3 4");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?sort=title").body), "3 4 1 2");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?sort=-updated_at").body), "3 2 4 1");
  EXPECT_EQ(course_ids(api.get("/courses/jbuilder?sort=-updated_at&ids=1,2,4").body), "2 4 1");
}

TEST(OriginCollection, KeepsEachCoursesSlidesInEveryOrder) {
  Api api({6, 3});
  const std::string first = api.get("/courses/5/jbuilder").body;
  for (const char* parameters : {"?sort=title", "?sort=-updated_at", "?page=1&per_page=6&sort=title"}) {
    EXPECT_NE(api.get(std::string("/courses/jbuilder") + parameters).body.find(first), std::string::npos);
  }
}

TEST(OriginCollection, ShowsASlideThatWasAddedLaterWithItsCourse) {
  Api api({3, 1});
  set_course(api, 1, R"("published":true)");
  set_course(api, 2, R"("published":true)");
  ASSERT_EQ(api.change("POST", "/courses/1/slides", R"({"content":"added"})").status, 201);
  for (const char* target : {"/courses/jbuilder", "/courses/jbuilder?ids=1,2"}) {
    const std::string body = api.get(target).body;
    const std::size_t added = body.find(R"({"id":"4","content":"added","order":1,)");
    ASSERT_NE(added, std::string::npos) << target;
    EXPECT_LT(added, body.find(R"({"id":"2","title":)")) << target;
  }
}

TEST(OriginCollection, GivesPagesWithRelativeLinksAndTheTotal) {
  Api api({7, 1});
  const Answer second = api.get("/courses/jbuilder?page=2&per_page=3");
  EXPECT_EQ(course_ids(second.body), "4 5 6");
  EXPECT_EQ(second.field("X-Total-Count"), "7");
  EXPECT_EQ(second.field("Link"),
            "</courses/jbuilder?page=1&per_page=3>; rel=\"first\", "
            "</courses/jbuilder?page=1&per_page=3>; rel=\"prev\", "
            "</courses/jbuilder?page=3&per_page=3>; rel=\"next\", "
            "</courses/jbuilder?page=3&per_page=3>; rel=\"last\"");
  const Answer last = api.get("/courses/jbuilder?per_page=3&sort=-updated_at&page=3&x=a%20b");
  EXPECT_EQ(last.field("Link"),
            "</courses/jbuilder?sort=-updated_at&x=a%20b&page=1&per_page=3>; rel=\"first\", "
            "</courses/jbuilder?sort=-updated_at&x=a%20b&page=2&per_page=3>; rel=\"prev\", "
            "</courses/jbuilder?sort=-updated_at&x=a%20b&page=3&per_page=3>; rel=\"last\"");
}

TEST(OriginCollection, GivesAnEmptyPageBehindTheLastOne) {
  Api api({7, 1});
  const Answer behind = api.get("/courses/jbuilder?page=9&per_page=3");
  EXPECT_EQ(behind.body, R"({"courses":[]})");
  EXPECT_EQ(behind.field("Link"),
            "</courses/jbuilder?page=1&per_page=3>; rel=\"first\", "
            "</courses/jbuilder?page=3&per_page=3>; rel=\"prev\", "
            "</courses/jbuilder?page=3&per_page=3>; rel=\"last\"");
}

TEST(OriginCollection, CountsOnlySelectedCoursesInTheTotal) {
  Api api({7, 0});
  for (int id = 1; id <= 7; ++id)
    set_course(api, id, id <= 2 ? R"("published":true)" : R"("published":false)");
  EXPECT_EQ(api.get("/courses/jbuilder?published=true&page=1").field("X-Total-Count"), "2");
  EXPECT_EQ(api.get("/courses/jbuilder?ids=1,3,5&per_page=2").field("X-Total-Count"), "3");
}

TEST(OriginCollection, HasNoPagingFieldsWithoutPages) {
  Api api;
  const Answer answer = api.get("/courses/jbuilder?sort=id");
  EXPECT_FALSE(answer.fields.has("Link"));
  EXPECT_FALSE(answer.fields.has("X-Total-Count"));
}

TEST(OriginCollection, RefusesWrongValuesAndNamesTheParameter) {
  Api api;
  std::string too_many = "1";
  for (int i = 0; i < 1'000; ++i) too_many += ",1";
  const std::pair<std::string, std::string> wrong[] = {
      {"ids=", "ids"},
      {"ids=1,", "ids"},
      {"ids=x", "ids"},
      {"ids=01", "ids"},
      {"ids=0", "ids"},
      {"ids=-1", "ids"},
      {"ids=99999999999999999999", "ids"},
      {"ids=1;2", "ids"},
      {"ids=" + too_many, "ids"},
      {"page=0", "page"},
      {"page=-1", "page"},
      {"page=1.5", "page"},
      {"page=", "page"},
      {"page=x", "page"},
      {"page=1000000001", "page"},
      {"page=1&page=2", "page"},
      {"per_page=0", "per_page"},
      {"per_page=1001", "per_page"},
      {"per_page=+5", "per_page"},
      {"published=yes", "published"},
      {"published=", "published"},
      {"published", "published"},
      {"sort=-id", "sort"},
      {"sort=updated_at", "sort"},
      {"sort=", "sort"},
  };
  for (const auto& [query, parameter] : wrong) {
    for (const bool manifest : {false, true}) {
      const std::string target = "/courses/jbuilder?" + query;
      const Answer answer = manifest ? api.manifest(target) : api.get(target);
      EXPECT_EQ(answer.status, 400) << query;
      EXPECT_EQ(answer.field("Content-Type"), "application/problem+json");
      EXPECT_NE(answer.body.find(R"("detail":")" + parameter + " "), std::string::npos) << answer.body;
    }
  }
}

TEST(OriginCollection, TakesTheLargestValuesThatAreAllowed) {
  Api api;
  std::string most = "1";
  for (int i = 1; i < 1'000; ++i) most += ",1";
  EXPECT_EQ(api.get("/courses/jbuilder?ids=" + most).status, 200);
  EXPECT_EQ(api.get("/courses/jbuilder?page=1000000000&per_page=1000").body, R"({"courses":[]})");
  EXPECT_EQ(api.get("/courses/jbuilder?ids=9223372036854775807").body, R"({"courses":[]})");
}

TEST(OriginCollection, RefusesAQueryWithABrokenEscapeAndIgnoresUnknownParameters) {
  Api api;
  EXPECT_EQ(api.get("/courses/jbuilder?a=%zz").status, 400);
  EXPECT_EQ(api.get("/courses/jbuilder?a=%").status, 400);
  EXPECT_EQ(api.get("/courses/jbuilder?a=b&&c&=d&_=1").status, 200);
  EXPECT_EQ(api.get("/courses/jbuilder?").status, 200);
}

TEST(OriginCollection, EscapesByTheModeOfTheOrigin) {
  const std::pair<json::Escape, const char*> modes[] = {
      {json::Escape::html, R"("title":"\u003ca\u003e \u2028")"},
      {json::Escape::js, R"("title":"<a> \u2028")"},
      {json::Escape::none, "\"title\":\"<a> \u2028\""}};
  for (const auto& [mode, expected] : modes) {
    Api api({1, 0}, mode);
    set_course(api, 1, "\"title\":\"<a> \u2028\"");
    EXPECT_NE(api.get("/courses/jbuilder").body.find(expected), std::string::npos);
  }
}

TEST(OriginCollection, IsAServerErrorWhenATextIsNotUtf8) {
  Api api({1, 0});
  api.database().connection().execute("UPDATE courses SET title = CAST(x'ff41' AS TEXT)");
  const Answer answer = api.get("/courses/jbuilder");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.field("Content-Type"), "application/problem+json");
  EXPECT_NE(answer.body.find("not UTF-8"), std::string::npos);
}

TEST(OriginCollection, IsAServerErrorWhileTheDatabaseFails) {
  Api api({1, 0});
  api.database().connection().execute("ALTER TABLE slides RENAME TO away");
  EXPECT_EQ(api.get("/courses/jbuilder").status, 500);
  api.database().connection().execute("ALTER TABLE away RENAME TO slides");
  EXPECT_EQ(api.get("/courses/jbuilder").status, 200);
}

TEST(OriginResources, AnswerNotFoundToUnknownPaths) {
  Api api;
  for (const char* target : {"/", "/courses/", "/courses/unknown", "/courses/01", "/courses/1/unknown",
                             "/courses/x/jbuilder", "/courses/1/jbuilder/", "/slides", "/slides/x", "/other",
                             "/courses/1/slides/1", "*", "/__origin", "/courses/99", "/slides/99"}) {
    const Answer answer = api.get(target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_EQ(answer.field("Content-Type"), "application/problem+json");
  }
}

TEST(OriginResources, TellWhatMethodsThereAreWhenTheyRefuseOne) {
  Api api;
  const std::pair<std::string, std::string> allowed[] = {
      {"/courses/jbuilder", "GET, HEAD"},         {"/courses/manifest", "GET, HEAD"},
      {"/courses/1/jbuilder", "GET, HEAD"},       {"/courses", "POST, PATCH"},
      {"/courses/1", "GET, HEAD, PATCH, DELETE"}, {"/courses/1/slides", "POST"},
      {"/slides/1", "GET, HEAD, PATCH, DELETE"},  {"/__origin/stats", "GET, HEAD"},
  };
  for (const auto& [target, methods] : allowed) {
    const Answer answer = api.send("PUT", target);
    EXPECT_EQ(answer.status, 405) << target;
    EXPECT_EQ(answer.field("Allow"), methods) << target;
  }
}

TEST(OriginRecord, ShowsOneCourseAsTheRenderingDoes) {
  Api api({12, 2});
  const std::string all = api.get("/courses/jbuilder").body;
  const Answer one = api.get("/courses/7/jbuilder");
  EXPECT_EQ(one.status, 200);
  EXPECT_TRUE(one.body.starts_with(R"({"id":"7","title":)"));
  EXPECT_NE(all.find(one.body), std::string::npos);
  EXPECT_TRUE(
      api.get("/courses/7/fast_jsonapi").body.starts_with(R"({"data":{"id":"7","type":"fast_course",)"));
}

TEST(OriginRecord, HasValidatorsOfItsOwnAndSaysWhenThereIsNone) {
  Api api;
  const Answer one = api.get("/courses/2/blueprinter");
  EXPECT_EQ(one.field("Tessera-Revision"), api.database().id() + "-1");
  EXPECT_EQ(api.get("/courses/2/blueprinter", {{"If-None-Match", one.field("ETag")}}).status, 304);
  EXPECT_NE(api.get("/courses/1/blueprinter").field("ETag"), one.field("ETag"));
  const Answer none = api.get("/courses/4/blueprinter");
  EXPECT_EQ(none.status, 404);
  EXPECT_NE(none.body.find("course 4"), std::string::npos);
}

TEST(OriginStatistics, CountWhatWasAskedAndWhatWasRendered) {
  Api api({12, 1});
  api.get("/courses/jbuilder");
  api.get("/courses/jbuilder?ids=1,2,3");
  api.get("/courses/5/jbuilder");
  const std::string tag = api.manifest("/courses/jbuilder").field("ETag");
  api.get("/courses/jbuilder", {{"Accept", test::kManifestType}, {"If-None-Match", tag}});
  api.get("/courses/manifest");
  const std::string collection_tag = api.get("/courses/jbuilder").field("ETag");
  api.get("/courses/jbuilder", {{"If-None-Match", collection_tag}});
  api.change("PATCH", "/courses/1", "{}");
  api.change("PATCH", "/courses/99", "{}");
  api.get("/nowhere");
  api.get("/__origin/stats");
  EXPECT_EQ(api.get("/__origin/stats").body,
            R"({"requests":11,"manifest_requests":3,"manifest_not_modified":1,"collection_requests":3,)"
            R"("collection_not_modified":1,"records_requests":1,"record_requests":1,"courses_rendered":28,)"
            R"("courses_rendered_by_ids":3,"articles_decoded":0,"writes":1})");
}

}  // namespace
}  // namespace tessera::origin
