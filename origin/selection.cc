#include "origin/selection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace tessera::origin {
namespace {

// Each parser puts one value into the selection, or says what it should have been.
Refusal take_ids(std::string_view value, Selection& selection) {
  return parse_ids(value, selection.ids);
}

Refusal take_page_number(std::string_view value, Selection& selection) {
  const std::optional<std::int64_t> number = parse_number(value, kMaxPage);
  if (!number) return "must be a whole number from 1 to " + std::to_string(kMaxPage);
  if (!selection.page) selection.page = Page{1, kDefaultPerPage};
  selection.page->number = *number;
  return std::nullopt;
}

Refusal take_page_size(std::string_view value, Selection& selection) {
  const std::optional<std::int64_t> size = parse_number(value, kMaxPerPage);
  if (!size) return "must be a whole number from 1 to " + std::to_string(kMaxPerPage);
  if (!selection.page) selection.page = Page{};
  selection.page->size = *size;
  return std::nullopt;
}

Refusal take_published(std::string_view value, Selection& selection) {
  if (value != "true" && value != "false") return "must be true or false";
  selection.published = value == "true";
  return std::nullopt;
}

Refusal take_order(std::string_view value, Selection& selection) {
  if (value == "id") {
    selection.order = CourseOrder::id;
  } else if (value == "-updated_at") {
    selection.order = CourseOrder::last_updated;
  } else if (value == "title") {
    selection.order = CourseOrder::title;
  } else {
    return "must be id, -updated_at or title";
  }
  return std::nullopt;
}

struct Known {
  std::string_view name;
  Refusal (*take)(std::string_view value, Selection& selection);
};

constexpr std::array kKnown = {
    Known{"ids", take_ids},
    Known{"page", take_page_number},
    Known{"per_page", take_page_size},
    Known{"published", take_published},
    Known{"sort", take_order},
};

}  // namespace

std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || parsed != end || value < 1 || value > most || text.front() == '0') {
    return std::nullopt;
  }
  return value;
}

Refusal parse_ids(std::string_view value, std::optional<std::vector<std::int64_t>>& target) {
  std::vector<std::int64_t> ids;
  while (true) {
    const std::size_t comma = value.find(',');
    const std::optional<std::int64_t> id = parse_id(value.substr(0, comma));
    if (!id) return "must be ids separated by commas, as in 1,2,3";
    if (ids.size() == kMaxIds) return "holds more than " + std::to_string(kMaxIds) + " ids";
    ids.push_back(*id);
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  target = std::move(ids);
  return std::nullopt;
}

std::optional<std::int64_t> parse_id(std::string_view text) {
  return parse_number(text, std::numeric_limits<std::int64_t>::max());
}

Checked<Selection> parse_selection(const Parameters& parameters) {
  Selection selection;
  for (const Known& known : kKnown) {
    bool is_taken = false;
    for (const Parameter& parameter : parameters) {
      if (parameter.name != known.name) continue;
      if (is_taken) return Problem{400, parameter.name + " is given twice"};
      is_taken = true;
      if (const Refusal refusal = known.take(parameter.value, selection)) {
        return Problem{400, parameter.name + " " + *refusal};
      }
    }
  }
  return selection;
}

}  // namespace tessera::origin
