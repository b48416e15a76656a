// What the serializer blueprinter of the original comparison produces: a bare array, members in alphabetical
// order behind the id.
#include "origin/renderings/record_writer.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {
namespace {

constexpr json::Key kSlides{"slides"};

void write_slide(const Slide& slide, json::Writer& json, RecordWriter& records) {
  json.begin_object();
  records.id(slide.id);
  records.content(slide);
  records.created_at(slide.created_at);
  records.order(slide);
  records.updated_at(slide.updated_at);
  json.end_object();
}

void write_course(const Course& course, json::Writer& json, RecordWriter& records) {
  json.begin_object();
  records.id(course.id);
  records.created_at(course.created_at);
  records.minutes(course);
  records.published(course);
  if (course.shows_slides()) {
    json.key(kSlides);
    json.begin_array();
    for (const Slide& slide : course.slides) write_slide(slide, json, records);
    json.end_array();
  }
  records.title(course);
  records.updated_at(course.updated_at);
  json.end_object();
}

class Blueprinter final : public Rendering {
 public:
  std::string_view name() const override { return "blueprinter"; }
  int version() const override { return 1; }

  void write_collection(std::span<const Course> courses, json::Writer& json) const override {
    RecordWriter records(json, Precision::seconds);
    json.begin_array();
    for (const Course& course : courses) write_course(course, json, records);
    json.end_array();
  }

  void write_record(const Course& course, json::Writer& json) const override {
    RecordWriter records(json, Precision::seconds);
    write_course(course, json, records);
  }
};

}  // namespace

std::unique_ptr<const Rendering> make_blueprinter() {
  return std::make_unique<Blueprinter>();
}

}  // namespace tessera::origin
