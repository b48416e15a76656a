#include "origin/generator.h"

#include <map>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "origin/course_queries.h"
#include "origin/database.h"
#include "origin/renderings/registry.h"
#include "tests/origin/api.h"

namespace tessera::origin {
namespace {

std::string text_of(const Generator& generator, std::int64_t id) {
  const GeneratedCourse course = generator.course(id);
  std::string text = course.title + '|' + std::to_string(course.minutes.value_or(-1)) + '|' +
                     std::to_string(course.updated_at.time_since_epoch().count());
  for (std::int64_t order = 0; order < generator.size().slides; ++order) {
    const GeneratedSlide slide = generator.slide(course, order);
    text += '|' + std::to_string(slide.id) + slide.content;
  }
  return text;
}

std::size_t document_length(test::Api& api, const std::string& rendering) {
  return api.get("/courses/" + rendering).body.size();
}

TEST(Generator, GivesTheDefaultDataTheDocumentLengthsOfTheOriginalComparison) {
  test::Api api({1'000, 5});
  EXPECT_EQ(document_length(api, "cache_crispies"), 890'509U);
  EXPECT_EQ(document_length(api, "jbuilder"), 890'509U);
  EXPECT_EQ(document_length(api, "blueprinter"), 890'497U);
  EXPECT_EQ(document_length(api, "active_model_serializer"), 929'777U);
  EXPECT_EQ(document_length(api, "fast_jsonapi"), 1'258'072U);
}

// No text needs an escape that only some modes make, so the lengths are the same in all of them.
TEST(Generator, GivesTheDefaultDataTheSameLengthsInEveryEscapeMode) {
  for (const json::Escape escape : {json::Escape::none, json::Escape::js}) {
    test::Api api({1'000, 5}, escape);
    EXPECT_EQ(document_length(api, "cache_crispies"), 890'509U);
    EXPECT_EQ(document_length(api, "fast_jsonapi"), 1'258'072U);
  }
}

TEST(Generator, PublishesTheSameShareOfAnyNumberOfCourses) {
  const std::map<std::int64_t, std::int64_t> expected = {{0, 0},   {1, 1},       {2, 2},
                                                         {40, 31}, {1'000, 782}, {5'000, 3'910}};
  for (const auto& [courses, published] : expected) {
    const Generator generator({courses, 1});
    std::int64_t count = 0;
    for (std::int64_t id = 1; id <= courses; ++id) count += generator.is_published(id) ? 1 : 0;
    EXPECT_EQ(count, published) << courses << " courses";
  }
}

TEST(Generator, ShowsSlideIdsOf14762DigitsByDefault) {
  const Generator generator({});
  std::size_t digits = 0;
  for (std::int64_t id = 1; id <= 1'000; ++id) {
    if (!generator.is_published(id)) continue;
    for (std::int64_t slide = 1; slide <= 5; ++slide) digits += std::to_string((id - 1) * 5 + slide).size();
  }
  EXPECT_EQ(digits, 14'762U);
}

TEST(Generator, SaysFalseOrNullOfCoursesThatAreNotPublished) {
  const Generator generator({});
  int with_false = 0;
  int with_null = 0;
  for (std::int64_t id = 1; id <= 1'000; ++id) {
    const GeneratedCourse course = generator.course(id);
    ASSERT_EQ(course.published == true, generator.is_published(id));
    if (course.published == false) ++with_false;
    if (!course.published) ++with_null;
  }
  EXPECT_EQ(with_false + with_null, 218);
  EXPECT_GT(with_false, 50);
  EXPECT_GT(with_null, 50);
}

TEST(Generator, BeginsALargerDataSetWithTheRecordsOfASmallerOne) {
  const Generator small({10, 3});
  const Generator large({500, 3});
  for (std::int64_t id = 1; id <= 10; ++id) EXPECT_EQ(text_of(small, id), text_of(large, id));
}

TEST(Generator, WritesOtherTextsForAnotherSeed) {
  EXPECT_NE(text_of(Generator({3, 2}, 1), 1), text_of(Generator({3, 2}, 2), 1));
}

TEST(Generator, WritesPlainAsciiOfTheExpectedLengths) {
  const Generator generator({});
  std::size_t titles = 0;
  std::size_t contents = 0;
  const auto check = [](const std::string& text) {
    for (const char c : text) {
      ASSERT_TRUE(c >= 0x20 && c < 0x7F && std::string_view("\"\\<>&").find(c) == std::string_view::npos)
          << text;
    }
  };
  for (std::int64_t id = 1; id <= 1'000; ++id) {
    const GeneratedCourse course = generator.course(id);
    check(course.title);
    titles += course.title.size();
    for (std::int64_t order = 0; order < 5; ++order) {
      const GeneratedSlide slide = generator.slide(course, order);
      check(slide.content);
      contents += slide.content.size();
      ASSERT_EQ(slide.order, order);
      ASSERT_EQ(slide.id, (id - 1) * 5 + order + 1);
      ASSERT_LE(slide.created_at, slide.updated_at);
      ASSERT_LE(slide.updated_at, std::max(course.updated_at, slide.created_at));
    }
    ASSERT_LE(course.created_at, course.updated_at);
  }
  EXPECT_NEAR(static_cast<double>(titles) / 1'000, 29, 0.5);
  EXPECT_NEAR(static_cast<double>(contents) / 5'000, 77, 0.5);
}

}  // namespace
}  // namespace tessera::origin
