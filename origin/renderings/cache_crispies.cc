// What the serializer cache_crispies of the original comparison produces: {"courses":[...]}.
#include "origin/renderings/record_writer.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {
namespace {

constexpr json::Key kCourses{"courses"};

class CacheCrispies final : public Rendering {
 public:
  std::string_view name() const override { return "cache_crispies"; }
  int version() const override { return 1; }

  void write_collection(std::span<const Course> courses, json::Writer& json) const override {
    RecordWriter records(json, Precision::seconds);
    json.begin_object();
    json.key(kCourses);
    json.begin_array();
    for (const Course& course : courses) records.course(course);
    json.end_array();
    json.end_object();
  }

  void write_record(const Course& course, json::Writer& json) const override {
    RecordWriter(json, Precision::seconds).course(course);
  }
};

}  // namespace

std::unique_ptr<const Rendering> make_cache_crispies() {
  return std::make_unique<CacheCrispies>();
}

}  // namespace tessera::origin
