#include <string>

#include <gtest/gtest.h>

#include "origin/negotiation.h"
#include "tests/origin/api.h"

namespace tessera::origin {
namespace {

using test::Answer;
using test::Api;

std::string accept_result(const std::string& accept) {
  http::Fields fields;
  fields.add("Accept", accept);
  return prefers_manifest(fields) ? "manifest" : "collection";
}

std::string version_of(Api& api, int id) {
  return test::text_member(api.get("/courses/" + std::to_string(id)).body, "updated_at");
}

TEST(OriginManifest, ListsIdsAndVersionsWithMicroseconds) {
  Api api({2, 1});
  const Answer answer = api.manifest("/courses/jbuilder");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Type"), test::kManifestType);
  EXPECT_EQ(answer.field("Cache-Control"), "no-cache");
  EXPECT_EQ(answer.field("Vary"), "Accept");
  EXPECT_EQ(answer.field("Tessera-Revision"), api.database().id() + "-1");
  EXPECT_EQ(answer.body, R"({"schema":")" + api.database().id() + R"(.jbuilder.1.html","records":[["1",")" +
                             version_of(api, 1) + R"("],["2",")" + version_of(api, 2) + R"("]]})");
  EXPECT_EQ(version_of(api, 1).size(), std::string("2019-07-09T18:30:13.123456Z").size());
}

TEST(OriginManifest, IsChosenByAcceptOnlyWhenItIsNamed) {
  EXPECT_EQ(accept_result("application/vnd.tessera.manifest+json"), "manifest");
  EXPECT_EQ(accept_result("Application/Vnd.Tessera.Manifest+JSON; q=0.9"), "manifest");
  EXPECT_EQ(accept_result("application/json;q=0.5, application/vnd.tessera.manifest+json"), "manifest");
  EXPECT_EQ(accept_result("application/vnd.tessera.manifest+json, */*;q=0.1"), "manifest");
  EXPECT_EQ(accept_result("*/*"), "collection");
  EXPECT_EQ(accept_result("application/*"), "collection");
  EXPECT_EQ(accept_result("application/json"), "collection");
  EXPECT_EQ(accept_result(""), "collection");
  EXPECT_EQ(accept_result("application/vnd.tessera.manifest+json;q=0"), "collection");
  EXPECT_EQ(accept_result("application/vnd.tessera.manifest+json;q=0.4, application/json;q=0.5"),
            "collection");
  EXPECT_EQ(accept_result("application/vnd.tessera.manifest+json;q=0.4, */*;q=0.5, application/json;q=0.1"),
            "manifest");
  EXPECT_EQ(accept_result("application/vnd.tessera.manifest+jsonp"), "collection");
}

TEST(OriginManifest, HonoursTheParametersOfTheCollection) {
  Api api({7, 0});
  const Answer page = api.manifest("/courses/jbuilder?page=2&per_page=3");
  EXPECT_NE(page.body.find(R"([["4",)"), std::string::npos);
  EXPECT_EQ(page.field("X-Total-Count"), "7");
  EXPECT_EQ(page.field("Link"), api.get("/courses/jbuilder?page=2&per_page=3").field("Link"));
  api.change("PATCH", "/courses/5", R"({"published":true})");
  EXPECT_NE(api.manifest("/courses/jbuilder?sort=-updated_at").body.find(R"("records":[["5",)"),
            std::string::npos);
  EXPECT_NE(api.manifest("/courses/jbuilder?ids=6").body.find(R"("records":[["6",)"), std::string::npos);
}

TEST(OriginManifest, AnswersNotModifiedUntilAnyWrite) {
  Api api;
  const std::string tag = api.manifest("/courses/jbuilder").field("ETag");
  const test::FieldList conditional = {{"Accept", test::kManifestType}, {"If-None-Match", tag}};
  const Answer unchanged = api.get("/courses/jbuilder", conditional);
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.field("ETag"), tag);
  EXPECT_EQ(unchanged.field("Cache-Control"), "no-cache");
  EXPECT_EQ(unchanged.field("Vary"), "Accept");
  const std::string before = version_of(api, 2);
  ASSERT_EQ(api.change("PATCH", "/slides/3", R"({"order":9})").status, 200);
  const Answer changed = api.get("/courses/jbuilder", conditional);
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.body.find(before), std::string::npos);
  EXPECT_NE(changed.body.find(version_of(api, 2)), std::string::npos);
}

TEST(OriginManifest, HasASchemaForEachRenderingEscapeAndDatabase) {
  Api html;
  Api none({3, 2}, json::Escape::none);
  const auto schema = [](Api& api, const char* target) {
    return test::text_member(api.manifest(target).body, "schema");
  };
  EXPECT_EQ(schema(html, "/courses/jbuilder"), html.database().id() + ".jbuilder.1.html");
  EXPECT_EQ(schema(html, "/courses/blueprinter"), html.database().id() + ".blueprinter.1.html");
  EXPECT_EQ(schema(none, "/courses/jbuilder"), none.database().id() + ".jbuilder.1.none");
  EXPECT_NE(html.database().id(), none.database().id());
}

TEST(OriginManifest, IsAlsoAResourceOfItsOwnForAllRenderings) {
  Api api({2, 1});
  const Answer answer = api.get("/courses/manifest?per_page=1&page=2");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Type"), test::kManifestType);
  EXPECT_NE(answer.body.find(R"("records":[["2",)"), std::string::npos);
  const std::string schema = test::text_member(answer.body, "schema");
  for (const auto& rendering : api.registry().all()) {
    EXPECT_NE(schema.find(std::string(rendering->name()) + ".1"), std::string::npos) << schema;
  }
  EXPECT_TRUE(answer.field("Link").starts_with("</courses/manifest?page=1&per_page=1>; rel=\"first\""));
  EXPECT_EQ(api.get("/courses/manifest?per_page=1&page=2", {{"If-None-Match", answer.field("ETag")}}).status,
            304);
}

TEST(OriginManifest, AnswersHeadWithTheLengthOfTheBody) {
  Api api;
  const std::size_t length = api.manifest("/courses/jbuilder").body.size();
  EXPECT_EQ(api.send("HEAD", "/courses/jbuilder", {{"Accept", test::kManifestType}}).body, "");
  EXPECT_EQ(api.length(), length);
}

}  // namespace
}  // namespace tessera::origin
