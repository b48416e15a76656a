// The main job: five renderings, byte-equal through the proxy, and only what changed is rendered again.
#include <string>

#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"

namespace tessera::test {
namespace {

class Rendering : public testing::TestWithParam<std::string> {
 protected:
  std::string target(std::string_view query = "") const {
    return "/courses/" + GetParam() + std::string(query);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Rendering, testing::ValuesIn(renderings()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(Rendering, IsByteEqualThroughTheProxyColdAndWarm) {
  Stack stack;
  const Reply expected = stack.origin.get(target());
  ASSERT_EQ(expected.status, 200);
  for (int round = 0; round < 3; ++round) {
    const Reply reply = stack.proxy.get(target());
    EXPECT_EQ(reply.status, 200) << reply.error;
    EXPECT_EQ(reply.body, expected.body) << "round " << round;
    EXPECT_EQ(reply.field("Content-Type"), expected.field("Content-Type"));
  }
  EXPECT_TRUE(stack.proxy.comes_to_hit(target()));
}

TEST_P(Rendering, IsEqualForPagesFiltersAndOrders) {
  Stack stack;
  for (const char* query : {"?page=2&per_page=7", "?published=true", "?published=false", "?sort=-updated_at",
                            "?sort=title&page=1&per_page=3", "?ids=3,1,2", "?page=900"}) {
    const Reply expected = stack.origin.get(target(query));
    for (int round = 0; round < 2; ++round) {
      const Reply reply = stack.proxy.get(target(query));
      EXPECT_EQ(reply.status, expected.status) << query;
      EXPECT_EQ(reply.body, expected.body) << query;
      EXPECT_EQ(reply.field("Link"), expected.field("Link")) << query;
      EXPECT_EQ(reply.field("X-Total-Count"), expected.field("X-Total-Count")) << query;
    }
  }
}

TEST_P(Rendering, ShowsEveryKindOfChangeAtOnce) {
  Stack stack;
  stack.proxy.get(target());
  const struct {
    const char* method;
    const char* target;
    const char* json;
  } changes[] = {
      {"PATCH", "/courses/3", R"({"title":"a <new> & \"quoted\" title"})"},
      {"PATCH", "/slides/12", R"({"content":"new content"})"},
      {"PATCH", "/courses/4", R"({"published":null})"},
      {"POST", "/courses", R"({"title":"added","minutes":1,"published":true})"},
      {"POST", "/courses/5/slides", R"({"content":"added","order":7})"},
      {"DELETE", "/slides/1", ""},
      {"DELETE", "/courses/6", ""},
      {"PATCH", "/courses",
       R"([{"id":"1","minutes":1},{"id":"2","minutes":2},{"id":"7","published":false}])"},
  };
  for (const auto& change : changes) {
    ASSERT_EQ(stack.origin.change(change.method, change.target, change.json).status / 100, 2)
        << change.target;
    const Reply reply = stack.proxy.get(target());
    const Reply expected = stack.origin.get(target());
    EXPECT_EQ(reply.body, expected.body) << change.method << " " << change.target;
  }
}

TEST_P(Rendering, FetchesExactlyTheRecordThatChanged) {
  Stack stack;
  stack.proxy.get(target());
  // The first answer that is assembled from records is held against the origin's own; that is over first.
  ASSERT_EQ(stack.origin.change("PATCH", "/courses/3", R"({"minutes":33})").status, 200);
  stack.proxy.get(target());
  ASSERT_TRUE(stack.proxy.metric_reaches(1, "tessera_verified_total", {"result=\"equal\""}));
  ASSERT_EQ(stack.origin.change("PATCH", "/courses/9", R"({"minutes":99})").status, 200);
  const auto before = stack.origin.counters();
  const Reply reply = stack.proxy.get(target());
  const auto after = stack.origin.counters();
  EXPECT_EQ(after.at("courses_rendered") - before.at("courses_rendered"), 1u);
  EXPECT_EQ(after.at("records_requests") - before.at("records_requests"), 1u);
  EXPECT_EQ(after.at("collection_requests") - before.at("collection_requests"), 0u);
  EXPECT_EQ(reply.body, stack.origin.get(target()).body);
}

TEST_P(Rendering, AnswersHeadAndPreconditionsFromTheCache) {
  Stack stack;
  const Reply full = stack.proxy.get(target());
  const std::string tag = stack.proxy.get(target()).field("ETag");
  ASSERT_FALSE(tag.empty());
  const Reply head = request("HEAD", stack.proxy.url(target()));
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("Content-Length"), std::to_string(full.body.size()));
  EXPECT_EQ(head.field("ETag"), tag);
  EXPECT_EQ(stack.proxy.get(target(), {{"If-None-Match", tag}}).status, 304);
  ASSERT_EQ(stack.origin.change("PATCH", "/courses/9", R"({"minutes":99})").status, 200);
  const Reply changed = stack.proxy.get(target(), {{"If-None-Match", tag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.field("ETag"), tag);
}

TEST_P(Rendering, OfNothingIsEqualToo) {
  Stack stack({"--courses", "2"});
  stack.proxy.get(target());
  for (const char* course : {"/courses/1", "/courses/2"}) {
    ASSERT_EQ(stack.origin.change("DELETE", course).status, 204);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(stack.proxy.get(target()).body, stack.origin.get(target()).body);
    }
  }
}

TEST(DefaultDataSet, HasTheDocumentLengthsOfTheOriginalComparison) {
  Stack stack(std::vector<std::string>{});
  const std::map<std::string, std::size_t> lengths{{"cache_crispies", 890'509},
                                                   {"jbuilder", 890'509},
                                                   {"blueprinter", 890'497},
                                                   {"active_model_serializer", 929'777},
                                                   {"fast_jsonapi", 1'258'072}};
  for (const auto& [rendering, length] : lengths) {
    const std::string target = "/courses/" + rendering;
    EXPECT_EQ(stack.origin.get(target).body.size(), length) << rendering;
    stack.proxy.get(target);
    EXPECT_EQ(stack.proxy.get(target).body, stack.origin.get(target).body) << rendering;
  }
}

TEST(OtherRequests, PassThroughTheProxy) {
  Stack stack;
  const Reply created = request("POST", stack.proxy.url("/courses"), {{"Content-Type", "application/json"}},
                                R"({"title":"through the proxy","minutes":3,"published":true})");
  EXPECT_EQ(created.status, 201);
  EXPECT_NE(stack.proxy.get("/courses/jbuilder").body.find("through the proxy"), std::string::npos);
  EXPECT_EQ(stack.proxy.get("/courses/1/jbuilder").body, stack.origin.get("/courses/1/jbuilder").body);
  EXPECT_EQ(stack.proxy.get("/nowhere").status, 404);
  EXPECT_EQ(stack.proxy.get("/courses/jbuilder?page=x").status, 400);
  EXPECT_EQ(stack.proxy.get("/courses/jbuilder?page=x").body,
            stack.origin.get("/courses/jbuilder?page=x").body);
}

}  // namespace
}  // namespace tessera::test
