// What clients send to change courses and slides: JSON bodies, checked before anything is written.
//
// Refused are: with 400 what is no JSON in UTF-8, or is nested deeper than 128; with 422 the wrong type or
// range, a member that is unknown or given twice, and a missing one. The sentence names the member.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "origin/problem.h"

namespace tessera::origin {

inline constexpr std::size_t kMaxBody = 1024 * 1024;   // bytes; more is refused with 413 before it comes here
inline constexpr std::size_t kMaxTitle = 1'000;        // bytes, at least 1
inline constexpr std::size_t kMaxContent = 100'000;    // bytes
inline constexpr std::int64_t kMaxNumber = 1'000'000;  // of minutes and of order; at least 0
inline constexpr std::int64_t kMaxId = (1LL << 53) - 1;  // what every JSON parser keeps exactly

// Unset members stay as they are, or get their default when a record is made.
struct CourseInput {
  std::optional<std::int64_t> id;
  std::optional<std::string> title;
  std::optional<std::optional<std::int64_t>> minutes;  // null is a value
  std::optional<std::optional<bool>> published;        // null is a value
};

struct SlideInput {
  std::optional<std::int64_t> id;
  std::optional<std::string> content;
  std::optional<std::int64_t> order;  // the default is one more than that of the last slide
};

Checked<CourseInput> parse_new_course(std::string_view body);     // title is needed, id is allowed
Checked<CourseInput> parse_course_change(std::string_view body);  // no id
Checked<SlideInput> parse_new_slide(std::string_view body);       // content is needed, id is allowed
Checked<SlideInput> parse_slide_change(std::string_view body);    // no id
// An array of at least one change, each with a different id.
Checked<std::vector<CourseInput>> parse_course_changes(std::string_view body);

}  // namespace tessera::origin
