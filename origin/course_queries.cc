#include "origin/course_queries.h"

#include <algorithm>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

namespace tessera::origin {
namespace {

// The texts differ only in which clauses are there, so few statements are ever compiled. ?1 ids, ?2
// published, ?3 and ?4 the page.
std::string where_clause(const Selection& selection) {
  std::string sql;
  if (selection.ids) sql += " WHERE id IN (SELECT value FROM json_each(?1))";
  if (selection.published) sql += std::string(selection.ids ? " AND" : " WHERE") + " published = ?2";
  return sql;
}

std::string order_clause(const Selection& selection) {
  std::string sql = " ORDER BY ";
  if (selection.order == CourseOrder::last_updated) sql += "updated_at DESC, ";
  if (selection.order == CourseOrder::title) sql += "title, ";
  sql += "id";
  if (selection.page) sql += " LIMIT ?3 OFFSET ?4";
  return sql;
}

// `ids` must outlive the statement.
void bind_selection(Statement& statement, const Selection& selection, const std::string& ids,
                    bool with_page) {
  if (selection.ids) statement.bind(1, ids);
  if (selection.published) statement.bind(2, static_cast<std::int64_t>(*selection.published));
  if (selection.page && with_page) {
    statement.bind(3, selection.page->size);
    statement.bind(4, (selection.page->number - 1) * selection.page->size);
  }
}

void read_course_rows(Connection& connection, const Selection& selection, CourseList& list) {
  const std::string ids = selection.ids ? id_list(*selection.ids) : std::string();
  Statement rows =
      connection.prepare("SELECT id, title, minutes, published, created_at, updated_at FROM courses" +
                         where_clause(selection) + order_clause(selection));
  bind_selection(rows, selection, ids, true);
  while (rows.next()) {
    Course& course = list.courses.emplace_back();
    course.id = rows.integer(0);
    course.title = list.keep(rows.text(1));
    if (!rows.is_null(2)) course.minutes = rows.integer(2);
    if (!rows.is_null(3)) course.published = rows.integer(3) != 0;
    course.created_at = timestamp(rows.integer(4));
    course.updated_at = timestamp(rows.integer(5));
  }
}

bool wants_slides(const Course& course, SlideScope scope) {
  return scope == SlideScope::all || course.shows_slides();
}

// Hands out the position of a course by its id. Slides mostly come in runs of one course.
class CoursePositions {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  CoursePositions(const std::vector<Course>& courses, SlideScope scope) {
    positions_.reserve(courses.size());
    for (std::size_t i = 0; i < courses.size(); ++i) {
      if (wants_slides(courses[i], scope)) positions_.emplace(courses[i].id, i);
    }
  }

  std::size_t find(std::int64_t id) {
    if (id != last_id_) {
      const auto found = positions_.find(id);
      last_id_ = id;
      last_position_ = found == positions_.end() ? kNone : found->second;
    }
    return last_position_;
  }

 private:
  boost::unordered_flat_map<std::int64_t, std::size_t> positions_;
  std::optional<std::int64_t> last_id_;
  std::size_t last_position_ = kNone;
};

// Columns: course_id, id, content, order, created_at, updated_at; by id within a course.
void read_slide_rows(Statement& rows, SlideScope scope, CourseList& list) {
  CoursePositions positions(list.courses, scope);
  std::vector<std::size_t> owners;  // of list.slides
  while (rows.next()) {
    const std::size_t owner = positions.find(rows.integer(0));
    if (owner == CoursePositions::kNone) continue;
    owners.push_back(owner);
    Slide& slide = list.slides.emplace_back();
    slide.id = rows.integer(1);
    slide.content = list.keep(rows.text(2));
    slide.order = rows.integer(3);
    slide.created_at = timestamp(rows.integer(4));
    slide.updated_at = timestamp(rows.integer(5));
  }
  if (!std::is_sorted(owners.begin(), owners.end())) {
    std::vector<std::size_t> places(owners.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return owners[a] < owners[b]; });
    std::vector<Slide> slides;
    slides.reserve(places.size());
    for (const std::size_t place : places) slides.push_back(list.slides[place]);
    list.slides = std::move(slides);
    std::sort(owners.begin(), owners.end());
  }
  for (std::size_t first = 0; first < owners.size();) {
    std::size_t last = first;
    while (last < owners.size() && owners[last] == owners[first]) ++last;
    list.courses[owners[first]].slides = std::span(list.slides).subspan(first, last - first);
    first = last;
  }
}

}  // namespace

Result<CourseList> read_courses(Connection& connection, const Selection& selection, SlideScope scope) {
  CourseList list;
  read_course_rows(connection, selection, list);
  if (selection.is_narrow()) {
    std::vector<std::int64_t> owners;
    for (const Course& course : list.courses) {
      if (wants_slides(course, scope)) owners.push_back(course.id);
    }
    const std::string ids = id_list(owners);
    Statement rows = connection.prepare(
        "SELECT course_id, id, content, \"order\", created_at, updated_at FROM slides"
        " WHERE course_id IN (SELECT value FROM json_each(?1)) ORDER BY course_id, id");
    rows.bind(1, ids);
    read_slide_rows(rows, scope, list);
  } else {  // reading the table in its own order is twice as fast as following the index
    Statement rows = connection.prepare(
        "SELECT course_id, id, content, \"order\", created_at, updated_at FROM slides ORDER BY id");
    read_slide_rows(rows, scope, list);
  }
  if (connection.error()) return connection.error();
  return list;
}

Result<std::vector<RecordVersion>> read_versions(Connection& connection, const Selection& selection) {
  const std::string ids = selection.ids ? id_list(*selection.ids) : std::string();
  Statement rows = connection.prepare("SELECT id, updated_at FROM courses" + where_clause(selection) +
                                      order_clause(selection));
  bind_selection(rows, selection, ids, true);
  std::vector<RecordVersion> versions;
  while (rows.next()) versions.push_back({rows.integer(0), timestamp(rows.integer(1))});
  if (connection.error()) return connection.error();
  return versions;
}

Result<std::int64_t> count_courses(Connection& connection, const Selection& selection) {
  const std::string ids = selection.ids ? id_list(*selection.ids) : std::string();
  Statement rows = connection.prepare("SELECT count(*) FROM courses" + where_clause(selection));
  bind_selection(rows, selection, ids, false);
  const std::int64_t count = rows.next() ? rows.integer(0) : 0;
  if (connection.error()) return connection.error();
  return count;
}

Result<CourseList> read_slide(Connection& connection, std::int64_t id) {
  CourseList list;
  Statement row =
      connection.prepare("SELECT id, content, \"order\", created_at, updated_at FROM slides WHERE id = ?1");
  row.bind(1, id);
  if (row.next()) {
    Slide& slide = list.slides.emplace_back();
    slide.id = row.integer(0);
    slide.content = list.keep(row.text(1));
    slide.order = row.integer(2);
    slide.created_at = timestamp(row.integer(3));
    slide.updated_at = timestamp(row.integer(4));
  }
  if (connection.error()) return connection.error();
  if (list.slides.empty()) return make_error_code(Error::not_found);
  return list;
}

}  // namespace tessera::origin
