// Which courses a request asks for, and in what order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "origin/query.h"

namespace tessera::origin {

enum class CourseOrder : std::uint8_t {
  id,
  last_updated,  // newest first; equals by id
  title,         // by bytes; equals by id
};

struct Page {
  std::int64_t number = 1;  // from 1
  std::int64_t size = 0;    // courses on a page
};

struct Selection {
  std::optional<std::vector<std::int64_t>> ids;  // only these; order and repetition do not matter
  std::optional<bool> published;                 // only true, or only false (null is neither)
  std::optional<Page> page;                      // applied last
  CourseOrder order = CourseOrder::id;

  // True when only some known courses are wanted, so that looking them up beats a scan.
  bool is_narrow() const { return ids.has_value() || page.has_value(); }
};

inline constexpr std::size_t kMaxIds = 1'000;
inline constexpr std::int64_t kMaxPage = 1'000'000'000;
inline constexpr std::int64_t kMaxPerPage = 1'000;
inline constexpr std::int64_t kDefaultPerPage = 25;  // when only `page` is given

// A record's id in a path or a parameter: decimal digits without leading zeros, from 1.
std::optional<std::int64_t> parse_id(std::string_view text);

// Decimal digits without leading zeros, from 1 to `most`.
std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t most);

// Why a parameter's value is refused, as "must be ..."; unset when it was taken.
using Refusal = std::optional<std::string>;
// The value of ids=1,2,3.
Refusal parse_ids(std::string_view value, std::optional<std::vector<std::int64_t>>& target);

// ids=1,2,3, page, per_page, published=true|false, sort=id|-updated_at|title. Other parameters are ignored. A
// wrong value, and a parameter that comes twice, is refused with 400 and a sentence that names the parameter.
Checked<Selection> parse_selection(const Parameters& parameters);

}  // namespace tessera::origin
