// Courses and slides as the writing side of the API shows them: all members, dates with microseconds, the
// slides of unpublished courses too.
#pragma once

#include <cstdint>
#include <string>

#include "json/escape.h"
#include "json/writer.h"
#include "origin/connection.h"
#include "origin/problem.h"

namespace tessera::origin {

// "course 7", "slide 7": what a refusal calls them.
std::string course_name(std::int64_t id);
std::string slide_name(std::int64_t id);

// Read the record and write it. Inside a transaction. 404 when there is none.
Checked<void> write_plain_course(Connection& connection, std::int64_t id, json::Writer& json);
Checked<void> write_plain_slide(Connection& connection, std::int64_t id, json::Writer& json);

// The schema of these forms (see validators.h).
std::string plain_schema(const std::string& database_id, json::Escape escape);

}  // namespace tessera::origin
