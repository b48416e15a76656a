// Which articles a request asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "origin/query.h"

namespace tessera::origin {

inline constexpr std::int64_t kMaxArticles = 1'000;
inline constexpr std::int64_t kDefaultArticles = 100;  // when neither `limit` nor `ids` is given

// The latest come first: by created_at, then by id, both descending.
struct ArticleSelection {
  std::optional<std::vector<std::int64_t>> ids;  // only these; order and repetition do not matter
  std::int64_t limit = kDefaultArticles;
};

// limit=100 and ids=1,2,3; with ids all of them are given unless limit says less. Other parameters are
// ignored. A wrong value, and a parameter that comes twice, is refused with 400 and a sentence.
Checked<ArticleSelection> parse_article_selection(const Parameters& parameters);

}  // namespace tessera::origin
