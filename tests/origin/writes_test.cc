// The writing side: POST, PATCH and DELETE of courses and slides.
#include <string>

#include <gtest/gtest.h>

#include "origin/course_input.h"
#include "tests/origin/api.h"

namespace tessera::origin {
namespace {

using test::Answer;
using test::Api;
using test::text_member;

std::string version_of(Api& api, int id) {
  return text_member(api.get("/courses/" + std::to_string(id)).body, "updated_at");
}

// Without its dates, which differ from run to run.
std::string without_dates(std::string json) {
  for (const std::string name : {"created_at", "updated_at"}) {
    const std::string start = ",\"" + name + "\":\"";
    for (std::size_t at = json.find(start); at != std::string::npos; at = json.find(start)) {
      json.erase(at, json.find('"', at + start.size()) + 1 - at);
    }
  }
  return json;
}

TEST(CourseWrites, CreateACourseAndSayWhereItIs) {
  Api api({3, 2});
  const Answer created =
      api.change("POST", "/courses", R"({"title":"new & fine","minutes":7,"published":true})");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.field("Location"), "/courses/4");
  EXPECT_EQ(created.field("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(created.field("Tessera-Revision"), api.database().id() + "-2");
  EXPECT_EQ(without_dates(created.body),
            R"({"id":"4","title":"new \u0026 fine","minutes":7,"published":true,"slides":[]})");
  EXPECT_EQ(text_member(created.body, "created_at"), text_member(created.body, "updated_at"));
  EXPECT_EQ(api.get("/courses/4").body, created.body);
  EXPECT_NE(
      api.manifest("/courses/jbuilder").body.find("[\"4\",\"" + text_member(created.body, "updated_at")),
      std::string::npos);
}

TEST(CourseWrites, CreateACourseWithDefaultsAndWithAnIdOfItsOwn) {
  Api api({3, 0});
  EXPECT_EQ(without_dates(api.change("POST", "/courses", R"({"title":"t"})").body),
            R"({"id":"4","title":"t","minutes":null,"published":null,"slides":[]})");
  EXPECT_EQ(api.change("POST", "/courses", R"({"title":"t","id":"70"})").field("Location"), "/courses/70");
  EXPECT_EQ(api.change("POST", "/courses", R"({"title":"t","id":71})").field("Location"), "/courses/71");
}

TEST(CourseWrites, RefuseAnIdThatIsTaken) {
  Api api({3, 1});
  const std::string before = api.get("/courses/jbuilder").body;
  EXPECT_EQ(api.change("POST", "/courses", R"({"title":"t","id":"2"})").status, 409);
  EXPECT_EQ(api.change("POST", "/courses/1/slides", R"({"content":"c","id":"2"})").status, 409);
  EXPECT_EQ(api.get("/courses/jbuilder").body, before);
  EXPECT_EQ(api.get("/courses/jbuilder").field("Tessera-Revision"), api.database().id() + "-1");
}

TEST(CourseWrites, ChangeWhatTheyNameAndNothingElse) {
  Api api({3, 0});
  api.change("PATCH", "/courses/2", R"({"title":"a","minutes":5,"published":true})");
  const auto change = [&](const char* body) {
    return without_dates(api.change("PATCH", "/courses/2", body).body);
  };
  EXPECT_EQ(change(R"({"title":"b"})"), R"({"id":"2","title":"b","minutes":5,"published":true,"slides":[]})");
  EXPECT_EQ(change(R"({"minutes":null})"),
            R"({"id":"2","title":"b","minutes":null,"published":true,"slides":[]})");
  EXPECT_EQ(change(R"({"minutes":0})"), R"({"id":"2","title":"b","minutes":0,"published":true,"slides":[]})");
  EXPECT_EQ(change(R"({"published":null})"),
            R"({"id":"2","title":"b","minutes":0,"published":null,"slides":[]})");
  EXPECT_EQ(change(R"({"published":false})"),
            R"({"id":"2","title":"b","minutes":0,"published":false,"slides":[]})");
}

TEST(CourseWrites, MoveTheVersionForwardEvenWhenNothingChanges) {
  Api api;
  const std::string before = version_of(api, 1);
  const std::string other = version_of(api, 2);
  const Answer touched = api.change("PATCH", "/courses/1", "{}");
  EXPECT_EQ(touched.status, 200);
  EXPECT_LT(before, version_of(api, 1));
  EXPECT_EQ(version_of(api, 1), text_member(touched.body, "updated_at"));
  EXPECT_EQ(version_of(api, 2), other);
}

TEST(CourseWrites, DeleteACourseWithItsSlides) {
  Api api({3, 2});
  const Answer deleted = api.send("DELETE", "/courses/1");
  EXPECT_EQ(deleted.status, 204);
  EXPECT_EQ(deleted.body, "");
  EXPECT_EQ(deleted.field("Tessera-Revision"), api.database().id() + "-2");
  EXPECT_EQ(api.get("/courses/1").status, 404);
  EXPECT_EQ(api.get("/slides/1").status, 404);
  EXPECT_EQ(api.get("/slides/3").status, 200);
  EXPECT_EQ(api.send("DELETE", "/courses/1").status, 404);
}

TEST(CourseWrites, ChangeSeveralCoursesInOneTransaction) {
  Api api({4, 0});
  const Answer changed = api.change("PATCH", "/courses",
                                    R"([{"id":"3","title":"three"},{"id":1,"title":"one","minutes":null}])");
  EXPECT_EQ(changed.status, 200);
  EXPECT_TRUE(changed.body.starts_with(R"([{"id":"3","title":"three",)"));
  EXPECT_NE(changed.body.find(R"(},{"id":"1","title":"one","minutes":null,)"), std::string::npos);
  EXPECT_EQ(changed.field("Tessera-Revision"), api.database().id() + "-2");
  EXPECT_EQ(version_of(api, 1), version_of(api, 3));
}

TEST(CourseWrites, ChangeNoneOfSeveralCoursesWhenOneCannotBe) {
  Api api({4, 0});
  const std::string before = api.get("/courses/jbuilder").body;
  const Answer refused =
      api.change("PATCH", "/courses", R"([{"id":"1","title":"x"},{"id":"9","title":"y"}])");
  EXPECT_EQ(refused.status, 404);
  EXPECT_NE(refused.body.find("course 9"), std::string::npos);
  EXPECT_EQ(api.change("PATCH", "/courses", R"([{"id":"1","title":"x"},{"id":"2","title":""}])").status, 422);
  EXPECT_EQ(api.get("/courses/jbuilder").body, before);
  EXPECT_EQ(api.counted(Counter::writes), 0U);
}

TEST(SlideWrites, CreateASlideBehindTheOthersAndTouchItsCourse) {
  Api api({2, 2});
  const std::string before = version_of(api, 2);
  const Answer created = api.change("POST", "/courses/2/slides", R"({"content":"third"})");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.field("Location"), "/slides/5");
  EXPECT_TRUE(created.body.starts_with(R"({"id":"2","title":)"));
  EXPECT_NE(without_dates(created.body).find(R"({"id":"5","content":"third","order":2}]})"),
            std::string::npos);
  EXPECT_LT(before, version_of(api, 2));
  EXPECT_EQ(without_dates(api.get("/slides/5").body), R"({"id":"5","content":"third","order":2})");
  EXPECT_EQ(api.change("POST", "/courses/9/slides", R"({"content":"x"})").status, 404);
}

TEST(SlideWrites, GiveTheFirstSlideOfACourseOrderZero) {
  Api api({1, 0});
  EXPECT_NE(
      api.change("POST", "/courses/1/slides", R"({"content":""})").body.find(R"("content":"","order":0,)"),
      std::string::npos);
  EXPECT_NE(api.change("POST", "/courses/1/slides", R"({"content":"x","order":40,"id":"7"})")
                .body.find(R"({"id":"7","content":"x","order":40,)"),
            std::string::npos);
}

TEST(SlideWrites, ChangeASlideAndTouchItsCourse) {
  Api api({2, 2});
  const std::string before = version_of(api, 2);
  const std::string other = version_of(api, 1);
  const Answer changed = api.change("PATCH", "/slides/4", R"({"content":"changed"})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_TRUE(changed.body.starts_with(R"({"id":"2","title":)"));
  EXPECT_LT(before, version_of(api, 2));
  EXPECT_EQ(version_of(api, 1), other);
  EXPECT_EQ(without_dates(api.get("/slides/4").body), R"({"id":"4","content":"changed","order":1})");
  EXPECT_EQ(text_member(api.get("/slides/4").body, "updated_at"), version_of(api, 2));
  EXPECT_EQ(api.change("PATCH", "/slides/99", "{}").status, 404);
}

TEST(SlideWrites, DeleteASlideAndTouchItsCourse) {
  Api api({2, 2});
  const std::string before = version_of(api, 1);
  EXPECT_EQ(api.send("DELETE", "/slides/1").status, 204);
  EXPECT_LT(before, version_of(api, 1));
  EXPECT_EQ(api.get("/slides/1").status, 404);
  EXPECT_EQ(api.send("DELETE", "/slides/1").status, 404);
}

TEST(OriginWrites, ShowAtOnceInEveryRendering) {
  Api api({2, 1});
  ASSERT_EQ(api.change("PATCH", "/courses/1", R"({"published":true,"title":"seen"})").status, 200);
  ASSERT_EQ(api.change("PATCH", "/slides/1", R"({"content":"seen too"})").status, 200);
  for (const auto& rendering : api.registry().all()) {
    const std::string body = api.get("/courses/" + std::string(rendering->name())).body;
    EXPECT_NE(body.find(R"("title":"seen")"), std::string::npos) << rendering->name();
    EXPECT_NE(body.find(R"("content":"seen too")"), std::string::npos) << rendering->name();
  }
}

TEST(OriginWrites, WantJsonByItsMediaType) {
  Api api;
  const auto status = [&](const test::FieldList& fields) {
    return api.send("PATCH", "/courses/1", fields, R"({"title":"t"})").status;
  };
  EXPECT_EQ(status({}), 415);
  EXPECT_EQ(status({{"Content-Type", "text/plain"}}), 415);
  EXPECT_EQ(status({{"Content-Type", "application/jsonx"}}), 415);
  EXPECT_EQ(status({{"Content-Type", "Application/JSON; charset=utf-8"}}), 200);
  EXPECT_EQ(api.send("POST", "/courses").status, 415);
  EXPECT_EQ(api.send("PATCH", "/courses").status, 415);
  EXPECT_EQ(api.send("POST", "/courses/1/slides").status, 415);
  EXPECT_EQ(api.send("PATCH", "/slides/1").status, 415);
}

struct Refused {
  std::string body;
  int status;
  std::string detail;  // part of it
};

TEST(CourseInput, RefusesWhatIsNoCourseAndNamesTheMember) {
  const std::string deep(200, '[');
  const Refused cases[] = {
      {"", 400, "not JSON"},
      {"{", 400, "not JSON"},
      {R"({"title":"t"} x)", 400, "not JSON"},
      {"{\"title\":\"\xFF\"}", 400, "not JSON"},
      {"{\"title\":\"cut \xE2\x82\"}", 400, "not JSON"},
      {deep, 400, "too deep"},
      {R"({"title":"t","x":)" + deep + std::string(200, ']') + "}", 400, "too deep"},
      {"[]", 422, "an object"},
      {"null", 422, "an object"},
      {"7", 422, "an object"},
      {"{}", 422, "title is needed"},
      {R"({"title":null})", 422, "title must be"},
      {R"({"title":7})", 422, "title must be"},
      {R"({"title":""})", 422, "title must be"},
      {R"({"title":")" + std::string(1'001, 'x') + "\"}", 422, "title must be"},
      {R"({"title":"\udc4d"})", 422, "title must be"},
      {R"({"title":"t","title":"u"})", 422, "title is given twice"},
      {R"({"title":"t","minutes":1.5})", 422, "minutes must be"},
      {R"({"title":"t","minutes":"5"})", 422, "minutes must be"},
      {R"({"title":"t","minutes":-1})", 422, "minutes must be"},
      {R"({"title":"t","minutes":1000001})", 422, "minutes must be"},
      {R"({"title":"t","minutes":18446744073709551617})", 422, "minutes must be"},
      {R"({"title":"t","published":"true"})", 422, "published must be"},
      {R"({"title":"t","published":1})", 422, "published must be"},
      {R"({"title":"t","id":"0"})", 422, "id must be"},
      {R"({"title":"t","id":"01"})", 422, "id must be"},
      {R"({"title":"t","id":"x"})", 422, "id must be"},
      {R"({"title":"t","id":1.0})", 422, "id must be"},
      {R"({"title":"t","id":9007199254740992})", 422, "id must be"},
      {R"({"title":"t","created_at":"2024-03-05T07:08:09Z"})", 422, "created_at is no member"},
      {R"({"title":"t","slides":[]})", 422, "slides is no member"},
  };
  for (const Refused& one : cases) {
    const Checked<CourseInput> course = parse_new_course(one.body);
    ASSERT_FALSE(course) << one.body;
    EXPECT_EQ(course.error().status, one.status) << one.body;
    EXPECT_NE(course.error().detail.find(one.detail), std::string::npos) << course.error().detail;
  }
}

TEST(CourseInput, TakesWhatIsAtTheLimits) {
  EXPECT_TRUE(parse_new_course(R"({"title":")" + std::string(1'000, 'x') + "\"}"));
  EXPECT_TRUE(parse_new_course(R"( {"title":"t","minutes":1000000,"id":9007199254740991} )"));
  const Checked<CourseInput> surrogates = parse_new_course(R"({"title":"\ud83d\ude00\u0000"})");
  ASSERT_TRUE(surrogates);
  EXPECT_EQ(*surrogates->title, std::string("\U0001F600\0", 5));
}

TEST(CourseInput, RefusesAListThatNamesNoCourseOrOneTwice) {
  for (const auto& [body, detail] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{}", "an array"},
           {"[]", "an array"},
           {"[1]", "an object"},
           {R"([{"title":"t"}])", "id is needed"},
           {R"([{"id":"1"},{"id":1}])", "id 1 comes twice"},
           {R"([{"id":"1","minutes":"x"}])", "minutes must be"}}) {
    const auto changes = parse_course_changes(body);
    ASSERT_FALSE(changes) << body;
    EXPECT_EQ(changes.error().status, 422);
    EXPECT_NE(changes.error().detail.find(detail), std::string::npos) << changes.error().detail;
  }
}

TEST(CourseInput, DoesNotChangeIds) {
  EXPECT_EQ(parse_course_change(R"({"id":"1"})").error().detail, "id cannot be changed");
  EXPECT_EQ(parse_slide_change(R"({"id":"1"})").error().detail, "id cannot be changed");
}

TEST(SlideInput, RefusesWhatIsNoSlideAndNamesTheMember) {
  const Refused cases[] = {
      {"{}", 422, "content is needed"},
      {R"({"content":7})", 422, "content must be"},
      {R"({"content":")" + std::string(100'001, 'x') + "\"}", 422, "content must be"},
      {R"({"content":"c","order":"1"})", 422, "order must be"},
      {R"({"content":"c","order":null})", 422, "order must be"},
      {R"({"content":"c","course_id":"1"})", 422, "course_id is no member"},
  };
  for (const Refused& one : cases) {
    const Checked<SlideInput> slide = parse_new_slide(one.body);
    ASSERT_FALSE(slide) << one.body;
    EXPECT_EQ(slide.error().status, one.status);
    EXPECT_NE(slide.error().detail.find(one.detail), std::string::npos) << slide.error().detail;
  }
  EXPECT_TRUE(parse_new_slide(R"({"content":""})"));
}

}  // namespace
}  // namespace tessera::origin
