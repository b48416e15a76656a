// Any bytes as a body: whatever is accepted keeps within the limits, and whatever is refused says why.
#include "origin/course_input_fuzz.h"

#include <cstdint>
#include <cstdlib>

#include "json/escape.h"
#include "origin/course_input.h"

namespace tessera::origin {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_number(const std::optional<std::int64_t>& value) {
  return !value || (*value >= 0 && *value <= kMaxNumber);
}

void check(const CourseInput& course) {
  require(!course.id || (*course.id >= 1 && *course.id <= kMaxId));
  require(!course.title || (!course.title->empty() && course.title->size() <= kMaxTitle));
  require(!course.title || json::is_utf8(*course.title));
  require(is_number(course.minutes.value_or(std::nullopt)));
}

void check(const SlideInput& slide) {
  require(!slide.id || (*slide.id >= 1 && *slide.id <= kMaxId));
  require(!slide.content || (slide.content->size() <= kMaxContent && json::is_utf8(*slide.content)));
  require(is_number(slide.order));
}

void check(const std::vector<CourseInput>& courses) {
  require(!courses.empty());
  for (const CourseInput& course : courses) {
    require(course.id.has_value());
    check(course);
  }
}

template <class Input>
void check(const Checked<Input>& input) {
  if (input) {
    check(*input);
  } else {
    require((input.error().status == 400 || input.error().status == 422) && !input.error().detail.empty());
  }
}

}  // namespace

void fuzz_course_input(std::string_view input) {
  check(parse_new_course(input));
  check(parse_course_change(input));
  check(parse_course_changes(input));
  check(parse_new_slide(input));
  check(parse_slide_change(input));
}

}  // namespace tessera::origin

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::origin::fuzz_course_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
