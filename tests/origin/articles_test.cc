#include <string>

#include <gtest/gtest.h>

#include "tests/origin/api.h"
#include "tests/support/temporary.h"

namespace tessera::origin::test {
namespace {

class Articles : public testing::TestWithParam<std::string> {
 protected:
  std::string path(const std::string& rest = "") const { return "/articles/" + GetParam() + rest; }
  // The new id.
  std::string create(const std::string& body) {
    const Answer answer = api_.change("POST", path(), body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return text_member(answer.body, "id");
  }

  Api api_;
};

INSTANTIATE_TEST_SUITE_P(Codec, Articles, testing::Values("yaml", "json", "msgpack"));

TEST_P(Articles, AreCreatedShownAndDeleted) {
  const Answer created = api_.change("POST", path(), R"({"no":["1",2,null,"<b>"]})");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.field("Location"), path("/1"));
  EXPECT_NE(created.body.find(R"({"id":"1","body":{"no":["1",2,null,"\u003cb\u003e"]},"created_at":")"),
            std::string::npos)
      << created.body;
  const Answer shown = api_.get(path("/1"));
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body, created.body);
  EXPECT_EQ(shown.field("Tessera-Revision"), created.field("Tessera-Revision"));
  EXPECT_EQ(api_.get(path("/1"), {{"If-None-Match", shown.field("ETag")}}).status, 304);
  EXPECT_EQ(api_.send("DELETE", path("/1")).status, 204);
  EXPECT_EQ(api_.get(path("/1")).status, 404);
  EXPECT_EQ(api_.send("DELETE", path("/1")).status, 404);
}

TEST_P(Articles, ComeLatestFirstAndNoMoreThanTheLimit) {
  for (int i = 1; i <= 105; ++i) create(std::to_string(i));
  const std::string all = api_.get(path()).body;
  EXPECT_EQ(all.rfind(R"({"articles":[{"id":"105","body":105,)", 0), 0U) << all.substr(0, 80);
  EXPECT_NE(all.find(R"({"id":"6",)"), std::string::npos);
  EXPECT_EQ(all.find(R"({"id":"5",)"), std::string::npos);
  EXPECT_EQ(api_.counted(Counter::articles_decoded), 205U);
  const std::string two = api_.get(path("?limit=2")).body;
  EXPECT_EQ(two, R"({"articles":[)" + api_.get(path("/105")).body + "," + api_.get(path("/104")).body + "]}");
  EXPECT_EQ(api_.get(path("?ids=104,105,999")).body, two);
  EXPECT_EQ(api_.get(path("?ids=1,104,105&limit=2")).body, two);
}

TEST_P(Articles, OfOneTimeComeByIdDescending) {
  for (int i = 1; i <= 3; ++i) create(std::to_string(i));
  api_.database().connection().execute("UPDATE articles SET created_at = 1000000");
  EXPECT_EQ(api_.get(path()).body.rfind(R"({"articles":[{"id":"3",)", 0), 0U);
}

TEST_P(Articles, HaveAManifestUnderTwoNames) {
  create("1");
  create("2");
  const Answer manifest = api_.manifest(path("?limit=1"));
  EXPECT_EQ(manifest.field("Content-Type"), kManifestType);
  const std::string updated = text_member(api_.get(path("/2")).body, "updated_at");
  EXPECT_NE(manifest.body.find(R"("records":[["2",")" + updated + "\"]]}"), std::string::npos)
      << manifest.body;
  EXPECT_EQ(api_.get(path("/manifest?limit=1")).body, manifest.body);
  EXPECT_EQ(api_.get(path("?limit=1"), {{"Accept", kManifestType}, {"If-None-Match", manifest.field("ETag")}})
                .status,
            304);
  EXPECT_EQ(manifest.field("Tessera-Revision"), api_.get(path()).field("Tessera-Revision"));
}

TEST_P(Articles, AreRefusedWithASentence) {
  EXPECT_EQ(api_.change("POST", path(), "{").status, 400);
  EXPECT_EQ(api_.change("POST", path(), "\"\xC3\x28\"").status, 400);
  EXPECT_EQ(api_.send("POST", path(), {{"Content-Type", "text/yaml"}}, "a: 1").status, 415);
  EXPECT_EQ(
      api_.send("POST", path(), {{"Content-Type", "application/json"}, {"Accept", "text/html"}}, "1").status,
      406);
  EXPECT_EQ(api_.change("POST", path(), std::string(128, '[') + std::string(128, ']')).status, 201);
  const Answer deep = api_.change("POST", path(), std::string(129, '[') + std::string(129, ']'));
  EXPECT_EQ(deep.status, 422);
  EXPECT_NE(deep.body.find("nested deeper than 128"), std::string::npos) << deep.body;
  EXPECT_EQ(api_.change("POST", path(), std::string(500'000, '[')).status, 422);
  EXPECT_EQ(api_.change("POST", path(), R"({"a":1,"a":2})").status, 422);
  EXPECT_EQ(api_.change("POST", path(), "1E400").status, 422);
  EXPECT_EQ(api_.get(path("?limit=0")).status, 400);
  EXPECT_EQ(api_.get(path("?limit=1001")).status, 400);
  EXPECT_EQ(api_.get(path("?ids=a")).status, 400);
  EXPECT_EQ(api_.get(path("?limit=1&limit=1")).status, 400);
  EXPECT_EQ(api_.get(path(), {{"Accept", "application/msgpack"}}).status, 406);
  EXPECT_EQ(api_.get(path("/1"), {{"Accept", "application/json;q=0"}}).status, 406);
  EXPECT_EQ(api_.get(path("/01")).status, 404);
  EXPECT_EQ(api_.get("/articles/xml").status, 404);
  EXPECT_EQ(api_.send("PATCH", path("/1")).field("Allow"), "GET, HEAD, DELETE");
}

TEST_P(Articles, AreKeptApartByTheirCodec) {
  const std::string id = create("1");
  for (const char* other : {"yaml", "json", "msgpack"}) {
    const bool is_own = other == GetParam();
    EXPECT_EQ(api_.get("/articles/" + std::string(other) + "/" + id).status, is_own ? 200 : 404);
  }
}

TEST_P(Articles, ThatCannotBeReadAreAnsweredBy500) {
  create("1");
  api_.database().connection().execute("UPDATE articles SET body = x'C1'");
  const Answer answer = api_.get(path());
  EXPECT_EQ(answer.status, 500);
  EXPECT_NE(answer.body.find("article 1"), std::string::npos) << answer.body;
}

TEST_P(Articles, AreTextForTextAndBytesForBytes) {
  create(R"({"a":"b"})");
  Statement row = api_.database().connection().prepare("SELECT typeof(body) FROM articles");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.text(0), GetParam() == "msgpack" ? "blob" : "text");
}

TEST(OriginArticles, ThatMessagePackCannotKeepAreRefusedByItAlone) {
  Api api;
  EXPECT_EQ(api.change("POST", "/articles/msgpack", "18446744073709551616").status, 422);
  EXPECT_EQ(api.change("POST", "/articles/yaml", "18446744073709551616").status, 201);
  EXPECT_EQ(api.change("POST", "/articles/json", "18446744073709551616").status, 201);
}

TEST(OriginArticles, AreAddedToADatabaseThatHadNone) {
  const tessera::test::TemporaryDirectory directory;
  const std::string path = directory.file("older.db");
  { const DatabaseFile file(path, {2, 1}); }
  { Connection(path, Durability::file).execute("DROP TABLE articles; PRAGMA user_version=1"); }
  Api api({2, 1}, json::Escape::html, path);
  EXPECT_EQ(api.change("POST", "/articles/json", "1").status, 201);
  EXPECT_EQ(api.get("/courses/1").status, 200);
}

}  // namespace
}  // namespace tessera::origin::test
