// What the serializer fast_jsonapi of the original comparison produces: JSON:API, slides as included
// resources. The linkage calls them "slide" and the resources "fast_slide": a quirk of the original that
// stays.
#include "origin/renderings/record_writer.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {
namespace {

constexpr json::Key kData{"data"};
constexpr json::Key kIncluded{"included"};
constexpr json::Key kType{"type"};
constexpr json::Key kAttributes{"attributes"};
constexpr json::Key kRelationships{"relationships"};
constexpr json::Key kSlides{"slides"};

// The linkage of a course to its slides.
void write_linkage(const Course& course, json::Writer& json, RecordWriter& records) {
  json.key(kSlides);
  json.begin_object();
  json.key(kData);
  json.begin_array();
  for (const Slide& slide : course.slides) {
    json.begin_object();
    records.id(slide.id);
    json.key(kType);
    json.raw("\"slide\"");
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_resource(const Course& course, json::Writer& json, RecordWriter& records) {
  json.begin_object();
  records.id(course.id);
  json.key(kType);
  json.raw("\"fast_course\"");
  json.key(kAttributes);
  json.begin_object();
  records.attributes(course);
  json.end_object();
  json.key(kRelationships);
  json.begin_object();
  if (course.shows_slides()) write_linkage(course, json, records);
  json.end_object();
  json.end_object();
}

// The elements of `included` that one course brings.
void write_included(const Course& course, json::Writer& json, RecordWriter& records) {
  if (!course.shows_slides()) return;
  for (const Slide& slide : course.slides) {
    json.begin_object();
    records.id(slide.id);
    json.key(kType);
    json.raw("\"fast_slide\"");
    json.key(kAttributes);
    json.begin_object();
    records.attributes(slide);
    json.end_object();
    json.end_object();
  }
}

class FastJsonapi final : public Rendering {
 public:
  std::string_view name() const override { return "fast_jsonapi"; }
  int version() const override { return 1; }

  void write_collection(std::span<const Course> courses, json::Writer& json) const override {
    RecordWriter records(json, Precision::seconds);
    json.begin_object();
    json.key(kData);
    json.begin_array();
    for (const Course& course : courses) write_resource(course, json, records);
    json.end_array();
    json.key(kIncluded);
    json.begin_array();
    for (const Course& course : courses) write_included(course, json, records);
    json.end_array();
    json.end_object();
  }

  void write_record(const Course& course, json::Writer& json) const override {
    RecordWriter records(json, Precision::seconds);
    json.begin_object();
    json.key(kData);
    write_resource(course, json, records);
    json.key(kIncluded);
    json.begin_array();
    write_included(course, json, records);
    json.end_array();
    json.end_object();
  }
};

}  // namespace

std::unique_ptr<const Rendering> make_fast_jsonapi() {
  return std::make_unique<FastJsonapi>();
}

}  // namespace tessera::origin
