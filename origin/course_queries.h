// Reads courses. Each call belongs inside a transaction: it may take two queries, which must see one state.
#pragma once

#include <cstdint>

#include "origin/connection.h"
#include "origin/course.h"
#include "origin/error.h"
#include "origin/record_version.h"
#include "origin/selection.h"

namespace tessera::origin {

// Which slides are loaded: those of courses that show them, or all.
enum class SlideScope : std::uint8_t { shown, all };

// Two queries, however many courses there are.
Result<CourseList> read_courses(Connection& connection, const Selection& selection, SlideScope scope);

// Ids and versions only, in the same order as read_courses.
Result<std::vector<RecordVersion>> read_versions(Connection& connection, const Selection& selection);

// How many courses there are on all pages together.
Result<std::int64_t> count_courses(Connection& connection, const Selection& selection);

// `slides` of the list holds the one slide; error not_found when there is none.
Result<CourseList> read_slide(Connection& connection, std::int64_t id);

}  // namespace tessera::origin
