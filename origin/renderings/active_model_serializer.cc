// What the serializer active_model_serializers of the original comparison produces: a bare array, dates with
// milliseconds.
#include "origin/renderings/record_writer.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {
namespace {

class ActiveModelSerializer final : public Rendering {
 public:
  std::string_view name() const override { return "active_model_serializer"; }
  int version() const override { return 1; }

  void write_collection(std::span<const Course> courses, json::Writer& json) const override {
    RecordWriter records(json, Precision::milliseconds);
    json.begin_array();
    for (const Course& course : courses) records.course(course);
    json.end_array();
  }

  void write_record(const Course& course, json::Writer& json) const override {
    RecordWriter(json, Precision::milliseconds).course(course);
  }
};

}  // namespace

std::unique_ptr<const Rendering> make_active_model_serializer() {
  return std::make_unique<ActiveModelSerializer>();
}

}  // namespace tessera::origin
