// RapidJSON parses without recursion (kParseIterativeFlag), and its pool frees without one; so depth costs no
// stack, and the limit on it only keeps nonsense short. Two things it lets pass are caught here: unpaired
// surrogate escapes, which decode to what is not UTF-8, and repeated members.
#include "origin/course_input.h"

#include <algorithm>
#include <set>

#include <rapidjson/document.h>

#include "json/escape.h"
#include "origin/selection.h"

namespace tessera::origin {
namespace {

constexpr std::size_t kMaxDepth = 128;

using Value = rapidjson::Value;
// Why a value is refused, as "must be ..."; unset when it was taken.
using Refusal = std::optional<std::string>;

std::string_view text_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

bool is_too_deep(std::string_view body) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// Fills `document`, or says why the body is no JSON.
std::optional<Problem> parse(std::string_view body, rapidjson::Document& document) {
  if (is_too_deep(body)) return Problem{400, "the body is nested too deep"};
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(body.data(),
                                                                                         body.size());
  if (document.HasParseError()) {
    return Problem{400, "the body is not JSON: it cannot be understood from byte " +
                            std::to_string(document.GetErrorOffset())};
  }
  return std::nullopt;
}

Refusal take_text(const Value& value, std::size_t least, std::size_t most,
                  std::optional<std::string>& target) {
  if (!value.IsString() || !json::is_utf8(text_of(value)) || value.GetStringLength() < least ||
      value.GetStringLength() > most) {
    return "must be a text of " + std::to_string(least) + " to " + std::to_string(most) + " bytes";
  }
  target = text_of(value);
  return std::nullopt;
}

template <class Number>
Refusal take_number(const Value& value, Number& target) {
  if (!value.IsInt64() || value.GetInt64() < 0 || value.GetInt64() > kMaxNumber) {
    return "must be a whole number from 0 to " + std::to_string(kMaxNumber);
  }
  target = value.GetInt64();
  return std::nullopt;
}

Refusal take_id(const Value& value, std::optional<std::int64_t>& target) {
  if (value.IsString()) target = parse_id(text_of(value));
  if (value.IsInt64()) target = value.GetInt64();
  if (target && *target >= 1 && *target <= kMaxId) return std::nullopt;
  return "must be an id from 1 to " + std::to_string(kMaxId);
}

Refusal take_minutes(const Value& value, CourseInput& course) {
  course.minutes.emplace();
  if (value.IsNull()) return std::nullopt;
  Refusal refusal = take_number(value, *course.minutes);
  if (refusal) *refusal += ", or null";
  return refusal;
}

Refusal take_published(const Value& value, CourseInput& course) {
  course.published.emplace();
  if (value.IsNull()) return std::nullopt;
  if (!value.IsBool()) return "must be true, false or null";
  course.published->emplace(value.GetBool());
  return std::nullopt;
}

Refusal take_member(std::string_view name, const Value& value, CourseInput& course) {
  if (name == "id") return take_id(value, course.id);
  if (name == "title") return take_text(value, 1, kMaxTitle, course.title);
  if (name == "minutes") return take_minutes(value, course);
  if (name == "published") return take_published(value, course);
  return "is no member that can be set";
}

Refusal take_member(std::string_view name, const Value& value, SlideInput& slide) {
  if (name == "id") return take_id(value, slide.id);
  if (name == "content") return take_text(value, 0, kMaxContent, slide.content);
  if (name == "order") return take_number(value, slide.order);
  return "is no member that can be set";
}

template <class Input>
Checked<Input> take_members(const Value& object) {
  if (!object.IsObject()) return Problem{422, "an object is needed"};
  Input input;
  std::set<std::string_view> seen;
  for (const auto& member : object.GetObject()) {
    const std::string_view name = text_of(member.name);
    if (!seen.insert(name).second) return Problem{422, std::string(name) + " is given twice"};
    if (const Refusal refusal = take_member(name, member.value, input)) {
      return Problem{422, std::string(name) + " " + *refusal};
    }
  }
  return input;
}

template <class Input>
Checked<Input> parse_one(std::string_view body) {
  rapidjson::Document document;
  if (const auto problem = parse(body, document)) return *problem;
  return take_members<Input>(document);
}

template <class Input>
Checked<Input> parse_change(std::string_view body) {
  Checked<Input> input = parse_one<Input>(body);
  if (input && input->id) return Problem{422, "id cannot be changed"};
  return input;
}

}  // namespace

Checked<CourseInput> parse_new_course(std::string_view body) {
  Checked<CourseInput> course = parse_one<CourseInput>(body);
  if (course && !course->title) return Problem{422, "title is needed"};
  return course;
}

Checked<CourseInput> parse_course_change(std::string_view body) {
  return parse_change<CourseInput>(body);
}

Checked<SlideInput> parse_new_slide(std::string_view body) {
  Checked<SlideInput> slide = parse_one<SlideInput>(body);
  if (slide && !slide->content) return Problem{422, "content is needed"};
  return slide;
}

Checked<SlideInput> parse_slide_change(std::string_view body) {
  return parse_change<SlideInput>(body);
}

Checked<std::vector<CourseInput>> parse_course_changes(std::string_view body) {
  rapidjson::Document document;
  if (const auto problem = parse(body, document)) return *problem;
  if (!document.IsArray() || document.Empty()) return Problem{422, "an array of courses is needed"};
  std::vector<CourseInput> changes;
  std::set<std::int64_t> seen;
  for (const Value& element : document.GetArray()) {
    Checked<CourseInput> change = take_members<CourseInput>(element);
    if (!change) return change.error();
    if (!change->id) return Problem{422, "id is needed in every course of the list"};
    if (!seen.insert(*change->id).second) {
      return Problem{422, "id " + std::to_string(*change->id) + " comes twice in the list"};
    }
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace tessera::origin
