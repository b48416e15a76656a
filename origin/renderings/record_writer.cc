#include "origin/renderings/record_writer.h"

#include <charconv>

namespace tessera::origin {
namespace {

constexpr json::Key kId{"id"};
constexpr json::Key kTitle{"title"};
constexpr json::Key kMinutes{"minutes"};
constexpr json::Key kPublished{"published"};
constexpr json::Key kSlides{"slides"};
constexpr json::Key kContent{"content"};
constexpr json::Key kOrder{"order"};
constexpr json::Key kCreatedAt{"created_at"};
constexpr json::Key kUpdatedAt{"updated_at"};

}  // namespace

void RecordWriter::id(std::int64_t id) {
  char text[24];
  text[0] = '"';
  char* end = std::to_chars(text + 1, text + sizeof text - 1, id).ptr;
  *end++ = '"';
  json_.key(kId);
  json_.raw({text, static_cast<std::size_t>(end - text)});
}

void RecordWriter::title(const Course& course) {
  json_.key(kTitle);
  json_.string(course.title);
}

void RecordWriter::minutes(const Course& course) {
  json_.key(kMinutes);
  if (course.minutes) {
    json_.number(*course.minutes);
  } else {
    json_.null();
  }
}

void RecordWriter::published(const Course& course) {
  json_.key(kPublished);
  if (course.published) {
    json_.boolean(*course.published);
  } else {
    json_.null();
  }
}

void RecordWriter::content(const Slide& slide) {
  json_.key(kContent);
  json_.string(slide.content);
}

void RecordWriter::order(const Slide& slide) {
  json_.key(kOrder);
  json_.number(slide.order);
}

void RecordWriter::created_at(Timestamp time) {
  date(kCreatedAt, time);
}

void RecordWriter::updated_at(Timestamp time) {
  date(kUpdatedAt, time);
}

void RecordWriter::date(const json::Key& key, Timestamp time) {
  json_.key(key);
  json_.raw(dates_.quoted(time, precision_));
}

void RecordWriter::attributes(const Course& course) {
  id(course.id);
  title(course);
  minutes(course);
  published(course);
  created_at(course.created_at);
  updated_at(course.updated_at);
}

void RecordWriter::attributes(const Slide& slide) {
  id(slide.id);
  content(slide);
  order(slide);
  created_at(slide.created_at);
  updated_at(slide.updated_at);
}

void RecordWriter::course(const Course& course) {
  json_.begin_object();
  attributes(course);
  if (course.shows_slides()) slides(course);
  json_.end_object();
}

void RecordWriter::slides(const Course& course) {
  json_.key(kSlides);
  json_.begin_array();
  for (const Slide& slide : course.slides) {
    json_.begin_object();
    attributes(slide);
    json_.end_object();
  }
  json_.end_array();
}

}  // namespace tessera::origin
