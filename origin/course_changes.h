// Writes courses and slides inside a transaction. Whatever is written takes the transaction's time as its
// updated_at, and a slide's change is also a change of its course.
#pragma once

#include <cstdint>

#include "origin/course_input.h"
#include "origin/error.h"
#include "origin/transaction.h"

namespace tessera::origin {

class CourseChanges {
 public:
  explicit CourseChanges(WriteTransaction& transaction);

  // Each returns Error::not_found for a record that is not there, Error::id_taken for an id that is; after an
  // error the transaction is to be given up.
  Result<std::int64_t> create_course(const CourseInput& course);  // the new id
  Result<void> change_course(std::int64_t id, const CourseInput& change);
  Result<void> delete_course(std::int64_t id);  // and its slides

  Result<std::int64_t> create_slide(std::int64_t course, const SlideInput& slide);  // the new id
  Result<std::int64_t> change_slide(std::int64_t id, const SlideInput& change);     // the id of its course
  Result<void> delete_slide(std::int64_t id);

 private:
  Result<void> touch(std::int64_t course);
  Result<std::int64_t> course_of(std::int64_t slide);
  Result<void> one_changed() const;

  Connection& connection_;
  std::int64_t now_;  // microseconds
};

}  // namespace tessera::origin
