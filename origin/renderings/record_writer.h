// Writes the members and objects that the renderings have in common. They differ in the order of members, in
// the envelope around records and in the digits of a date.
#pragma once

#include <cstdint>

#include "json/writer.h"
#include "origin/course.h"
#include "origin/timestamp.h"

namespace tessera::origin {

class RecordWriter {
 public:
  // The writer must outlive this object.
  RecordWriter(json::Writer& json, Precision precision) : json_(json), precision_(precision) {}

  // Single members of the object that is open.
  void id(std::int64_t id);  // always a string
  void title(const Course& course);
  void minutes(const Course& course);
  void published(const Course& course);
  void content(const Slide& slide);
  void order(const Slide& slide);
  void created_at(Timestamp time);
  void updated_at(Timestamp time);

  // The member orders that more than one rendering uses, without braces.
  void attributes(const Course& course);  // id, title, minutes, published, created_at, updated_at
  void attributes(const Slide& slide);    // id, content, order, created_at, updated_at

  // A course with `attributes`, and with its slides when it shows them; in braces.
  void course(const Course& course);
  void slides(const Course& course);  // the member `slides`, whether the course shows it or not

 private:
  void date(const json::Key& key, Timestamp time);

  json::Writer& json_;
  const Precision precision_;
  TimestampFormatter dates_;
};

}  // namespace tessera::origin
