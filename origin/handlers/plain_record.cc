#include "origin/handlers/plain_record.h"

#include "origin/course_queries.h"
#include "origin/error.h"
#include "origin/renderings/record_writer.h"
#include "origin/validators.h"

namespace tessera::origin {

std::string course_name(std::int64_t id) {
  return "course " + std::to_string(id);
}

std::string slide_name(std::int64_t id) {
  return "slide " + std::to_string(id);
}

Checked<void> write_plain_course(Connection& connection, std::int64_t id, json::Writer& json) {
  Selection selection;
  selection.ids = {id};
  const Result<CourseList> list = read_courses(connection, selection, SlideScope::all);
  if (!list) return problem_of(list.error());
  if (list->courses.empty()) return problem_of(Error::not_found, course_name(id));
  const Course& course = list->courses.front();
  RecordWriter records(json, Precision::microseconds);
  json.begin_object();
  records.attributes(course);
  records.slides(course);
  json.end_object();
  return {};
}

Checked<void> write_plain_slide(Connection& connection, std::int64_t id, json::Writer& json) {
  const Result<CourseList> list = read_slide(connection, id);
  if (!list) return problem_of(list.error(), slide_name(id));
  json.begin_object();
  RecordWriter(json, Precision::microseconds).attributes(list->slides.front());
  json.end_object();
  return {};
}

std::string plain_schema(const std::string& database_id, json::Escape escape) {
  return schema_of(database_id, "plain.1", escape);
}

}  // namespace tessera::origin
