#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "origin/renderings/registry.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {
namespace {

constexpr Timestamp kTime{std::chrono::microseconds{1'709'622'489'123'999}};  // 2024-03-05T07:08:09.123999Z
constexpr Timestamp kLater{std::chrono::microseconds{1'709'622'490'000'001}};

const std::vector<Slide>& slides() {
  static const std::vector<Slide> slides = {{1, "Fold the <map> twice.", 0, kTime, kLater},
                                            {12, "\"Quote\"", 3, kTime, kTime}};
  return slides;
}

// Published with slides, published without, not published (false) and (null).
std::vector<Course> courses() {
  std::vector<Course> courses(4);
  courses[0] = {1, "tune granite sails", 42, true, kTime, kLater, slides()};
  courses[1] = {2, "salt & pepper", std::nullopt, true, kTime, kTime, {}};
  courses[2] = {3, "borrow quiet harbors", std::nullopt, false, kTime, kTime, slides()};
  courses[3] = {10, "\u00e4\u2028", 0, std::nullopt, kTime, kTime, slides()};
  return courses;
}

const Rendering& rendering(const std::string& name) {
  static const Registry registry;
  const Rendering* found = registry.find(name);
  if (found == nullptr) throw std::invalid_argument("no rendering " + name);
  return *found;
}

std::string collection(const std::string& name, const std::vector<Course>& list) {
  json::Writer writer(json::Escape::html);
  rendering(name).write_collection(list, writer);
  EXPECT_TRUE(writer.is_valid());
  return writer.take();
}

std::string record(const std::string& name, const Course& course) {
  json::Writer writer(json::Escape::html);
  rendering(name).write_record(course, writer);
  return writer.take();
}

// Without the line breaks that keep the documents of this file readable.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c != '\n') line += c;
  }
  return line;
}

const std::string kRecords = on_one_line(
    R"({"id":"1","title":"tune granite sails","minutes":42,"published":true,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:10Z",
"slides":[{"id":"1","content":"Fold the \u003cmap\u003e twice.","order":0,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:10Z"},
{"id":"12","content":"\"Quote\"","order":3,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"}]},
{"id":"2","title":"salt \u0026 pepper","minutes":null,"published":true,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z","slides":[]},
{"id":"3","title":"borrow quiet harbors","minutes":null,"published":false,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"},
{"id":"10","title":"ä\u2028","minutes":0,"published":null,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"})");

TEST(OriginRenderings, CacheCrispiesWritesAnEnvelopeAndSeconds) {
  EXPECT_EQ(collection("cache_crispies", courses()), "{\"courses\":[" + kRecords + "]}");
}

TEST(OriginRenderings, JbuilderWritesTheSameBytesAsCacheCrispies) {
  EXPECT_EQ(collection("jbuilder", courses()), collection("cache_crispies", courses()));
}

TEST(OriginRenderings, BlueprinterWritesABareArrayInAlphabeticalOrder) {
  EXPECT_EQ(collection("blueprinter", courses()),
            on_one_line(
                R"([{"id":"1","created_at":"2024-03-05T07:08:09Z","minutes":42,"published":true,
"slides":[{"id":"1","content":"Fold the \u003cmap\u003e twice.","created_at":"2024-03-05T07:08:09Z","order":0,
"updated_at":"2024-03-05T07:08:10Z"},
{"id":"12","content":"\"Quote\"","created_at":"2024-03-05T07:08:09Z","order":3,
"updated_at":"2024-03-05T07:08:09Z"}],
"title":"tune granite sails","updated_at":"2024-03-05T07:08:10Z"},
{"id":"2","created_at":"2024-03-05T07:08:09Z","minutes":null,"published":true,"slides":[],
"title":"salt \u0026 pepper","updated_at":"2024-03-05T07:08:09Z"},
{"id":"3","created_at":"2024-03-05T07:08:09Z","minutes":null,"published":false,
"title":"borrow quiet harbors","updated_at":"2024-03-05T07:08:09Z"},
{"id":"10","created_at":"2024-03-05T07:08:09Z","minutes":0,"published":null,
"title":"ä\u2028","updated_at":"2024-03-05T07:08:09Z"}])"));
}

TEST(OriginRenderings, ActiveModelSerializerWritesABareArrayAndMilliseconds) {
  EXPECT_EQ(collection("active_model_serializer", courses()),
            on_one_line(
                R"([{"id":"1","title":"tune granite sails","minutes":42,"published":true,
"created_at":"2024-03-05T07:08:09.123Z","updated_at":"2024-03-05T07:08:10.000Z",
"slides":[{"id":"1","content":"Fold the \u003cmap\u003e twice.","order":0,
"created_at":"2024-03-05T07:08:09.123Z","updated_at":"2024-03-05T07:08:10.000Z"},
{"id":"12","content":"\"Quote\"","order":3,
"created_at":"2024-03-05T07:08:09.123Z","updated_at":"2024-03-05T07:08:09.123Z"}]},
{"id":"2","title":"salt \u0026 pepper","minutes":null,"published":true,
"created_at":"2024-03-05T07:08:09.123Z","updated_at":"2024-03-05T07:08:09.123Z","slides":[]},
{"id":"3","title":"borrow quiet harbors","minutes":null,"published":false,
"created_at":"2024-03-05T07:08:09.123Z","updated_at":"2024-03-05T07:08:09.123Z"},
{"id":"10","title":"ä\u2028","minutes":0,"published":null,
"created_at":"2024-03-05T07:08:09.123Z","updated_at":"2024-03-05T07:08:09.123Z"}])"));
}

const std::string kFirstResource = on_one_line(
    R"({"id":"1","type":"fast_course","attributes":{"id":"1","title":"tune granite sails","minutes":42,
"published":true,"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:10Z"},
"relationships":{"slides":{"data":[{"id":"1","type":"slide"},{"id":"12","type":"slide"}]}}})");

const std::string kIncluded = on_one_line(
    R"({"id":"1","type":"fast_slide","attributes":{"id":"1","content":"Fold the \u003cmap\u003e twice.","order":0,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:10Z"}},
{"id":"12","type":"fast_slide","attributes":{"id":"12","content":"\"Quote\"","order":3,
"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"}})");

TEST(OriginRenderings, FastJsonapiWritesLinkageAndIncludedSlidesOfPublishedCourses) {
  EXPECT_EQ(collection("fast_jsonapi", courses()), "{\"data\":[" + kFirstResource + on_one_line(R"(,
{"id":"2","type":"fast_course","attributes":{"id":"2","title":"salt \u0026 pepper","minutes":null,
"published":true,"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"},
"relationships":{"slides":{"data":[]}}},
{"id":"3","type":"fast_course","attributes":{"id":"3","title":"borrow quiet harbors","minutes":null,
"published":false,"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"},
"relationships":{}},
{"id":"10","type":"fast_course","attributes":{"id":"10","title":"ä\u2028","minutes":0,
"published":null,"created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z"},
"relationships":{}}],"included":[)") + kIncluded + "]}");
}

TEST(OriginRenderings, WriteTheEnvelopeOfEmptyTables) {
  EXPECT_EQ(collection("cache_crispies", {}), R"({"courses":[]})");
  EXPECT_EQ(collection("jbuilder", {}), R"({"courses":[]})");
  EXPECT_EQ(collection("blueprinter", {}), "[]");
  EXPECT_EQ(collection("active_model_serializer", {}), "[]");
  EXPECT_EQ(collection("fast_jsonapi", {}), R"({"data":[],"included":[]})");
}

TEST(OriginRenderings, ShowASingleRecordAsInTheCollection) {
  for (const std::string name : {"cache_crispies", "jbuilder", "blueprinter", "active_model_serializer"}) {
    for (const Course& course : courses()) {
      const std::string alone = record(name, course);
      EXPECT_NE(collection(name, courses()).find(alone), std::string::npos) << name << ": " << alone;
    }
  }
}

TEST(OriginRenderings, FastJsonapiShowsASingleRecordWithItsIncludedSlides) {
  EXPECT_EQ(record("fast_jsonapi", courses()[0]),
            "{\"data\":" + kFirstResource + ",\"included\":[" + kIncluded + "]}");
  EXPECT_TRUE(record("fast_jsonapi", courses()[2]).ends_with("\"relationships\":{}},\"included\":[]}"));
}

TEST(OriginRenderings, AreFoundByTheirNames) {
  const Registry registry;
  EXPECT_EQ(registry.all().size(), 5U);
  for (const auto& one : registry.all()) EXPECT_EQ(registry.find(one->name()), one.get());
  EXPECT_EQ(registry.find("manifest"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
}

}  // namespace
}  // namespace tessera::origin
