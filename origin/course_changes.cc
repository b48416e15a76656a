#include "origin/course_changes.h"

namespace tessera::origin {

CourseChanges::CourseChanges(WriteTransaction& transaction)
    : connection_(transaction.connection()), now_(transaction.time().time_since_epoch().count()) {}

Result<void> CourseChanges::one_changed() const {
  if (connection_.error()) return connection_.error();
  if (connection_.changes() == 0) return make_error_code(Error::not_found);
  return {};
}

Result<std::int64_t> CourseChanges::create_course(const CourseInput& course) {
  {
    Statement insert = connection_.prepare(
        "INSERT INTO courses (id, title, minutes, published, created_at, updated_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?5)");
    if (course.id) insert.bind(1, *course.id);
    // Bound in place: a copy would be gone before the statement runs.
    insert.bind(2, course.title ? std::string_view(*course.title) : std::string_view());
    if (course.minutes.value_or(std::nullopt)) insert.bind(3, **course.minutes);
    if (course.published.value_or(std::nullopt))
      insert.bind(4, static_cast<std::int64_t>(**course.published));
    insert.bind(5, now_).run();
  }
  if (connection_.error()) return connection_.error();
  return connection_.last_insert_id();
}

Result<void> CourseChanges::change_course(std::int64_t id, const CourseInput& change) {
  // NULL is a value of minutes and published, so a second parameter tells whether they are set at all.
  Statement update = connection_.prepare(
      "UPDATE courses SET title = coalesce(?2, title), minutes = iif(?3, ?4, minutes),"
      " published = iif(?5, ?6, published), updated_at = max(?7, updated_at + 1) WHERE id = ?1");
  update.bind(1, id);
  if (change.title) update.bind(2, *change.title);
  update.bind(3, static_cast<std::int64_t>(change.minutes.has_value()));
  if (change.minutes.value_or(std::nullopt)) update.bind(4, **change.minutes);
  update.bind(5, static_cast<std::int64_t>(change.published.has_value()));
  if (change.published.value_or(std::nullopt)) update.bind(6, static_cast<std::int64_t>(**change.published));
  update.bind(7, now_).run();
  return one_changed();
}

Result<void> CourseChanges::delete_course(std::int64_t id) {
  connection_.prepare("DELETE FROM courses WHERE id = ?1").bind(1, id).run();
  return one_changed();
}

Result<std::int64_t> CourseChanges::create_slide(std::int64_t course, const SlideInput& slide) {
  if (const Result<void> touched = touch(course); !touched) return touched.error();
  {
    Statement insert = connection_.prepare(
        "INSERT INTO slides (id, course_id, content, \"order\", created_at, updated_at) VALUES (?1, ?2, ?3,"
        " coalesce(?4, (SELECT max(\"order\") + 1 FROM slides WHERE course_id = ?2), 0), ?5, ?5)");
    if (slide.id) insert.bind(1, *slide.id);
    insert.bind(2, course).bind(3, slide.content ? std::string_view(*slide.content) : std::string_view());
    if (slide.order) insert.bind(4, *slide.order);
    insert.bind(5, now_).run();
  }
  if (connection_.error()) return connection_.error();
  return connection_.last_insert_id();
}

Result<std::int64_t> CourseChanges::change_slide(std::int64_t id, const SlideInput& change) {
  const Result<std::int64_t> course = course_of(id);
  if (!course) return course.error();
  {
    Statement update = connection_.prepare(
        "UPDATE slides SET content = coalesce(?2, content), \"order\" = coalesce(?3, \"order\"),"
        " updated_at = max(?4, updated_at + 1) WHERE id = ?1");
    update.bind(1, id);
    if (change.content) update.bind(2, *change.content);
    if (change.order) update.bind(3, *change.order);
    update.bind(4, now_).run();
  }
  if (const Result<void> touched = touch(*course); !touched) return touched.error();
  return *course;
}

Result<void> CourseChanges::delete_slide(std::int64_t id) {
  const Result<std::int64_t> course = course_of(id);
  if (!course) return course.error();
  connection_.prepare("DELETE FROM slides WHERE id = ?1").bind(1, id).run();
  return touch(*course);
}

Result<void> CourseChanges::touch(std::int64_t course) {
  connection_.prepare("UPDATE courses SET updated_at = max(?2, updated_at + 1) WHERE id = ?1")
      .bind(1, course)
      .bind(2, now_)
      .run();
  return one_changed();
}

Result<std::int64_t> CourseChanges::course_of(std::int64_t slide) {
  Statement row = connection_.prepare("SELECT course_id FROM slides WHERE id = ?1");
  row.bind(1, slide);
  if (row.next()) return row.integer(0);
  return connection_.error() ? connection_.error() : make_error_code(Error::not_found);
}

}  // namespace tessera::origin
