#include "origin/article_selection.h"

#include "origin/selection.h"

namespace tessera::origin {
namespace {

Refusal take_limit(std::string_view value, std::optional<std::int64_t>& limit) {
  limit = parse_number(value, kMaxArticles);
  if (limit) return std::nullopt;
  return "must be a whole number from 1 to " + std::to_string(kMaxArticles);
}

}  // namespace

Checked<ArticleSelection> parse_article_selection(const Parameters& parameters) {
  ArticleSelection selection;
  std::optional<std::int64_t> limit;
  for (const Parameter& parameter : parameters) {
    const bool is_ids = parameter.name == "ids";
    if (!is_ids && parameter.name != "limit") continue;
    if (is_ids ? selection.ids.has_value() : limit.has_value()) {
      return Problem{400, parameter.name + " is given twice"};
    }
    const Refusal refusal =
        is_ids ? parse_ids(parameter.value, selection.ids) : take_limit(parameter.value, limit);
    if (refusal) return Problem{400, parameter.name + " " + *refusal};
  }
  selection.limit = limit.value_or(selection.ids ? kMaxArticles : kDefaultArticles);
  return selection;
}

}  // namespace tessera::origin
