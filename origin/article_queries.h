// Reads articles: documents that are kept in a codec's form. Each call belongs inside a transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "json/codec.h"
#include "origin/article_selection.h"
#include "origin/connection.h"
#include "origin/error.h"
#include "origin/problem.h"
#include "origin/record_version.h"

namespace tessera::origin {

struct Article {
  std::int64_t id = 0;
  std::string_view body;  // as the codec stored it
  Timestamp created_at;
  Timestamp updated_at;
};

// Takes an article, whose body is there only during the call. What it refuses ends the reading.
using VisitArticle = std::function<Checked<void>(const Article&)>;

// The articles of this codec that are selected, the latest first.
Checked<void> read_articles(Connection& connection, const json::Codec& codec,
                            const ArticleSelection& selection, const VisitArticle& visit);

// 404 when there is none of this codec and id.
Checked<void> read_article(Connection& connection, const json::Codec& codec, std::int64_t id,
                           const VisitArticle& visit);

// Ids and versions only, in the same order as read_articles.
Result<std::vector<RecordVersion>> read_article_versions(Connection& connection, const json::Codec& codec,
                                                         const ArticleSelection& selection);

// "article 7": what a refusal calls it.
std::string article_name(std::int64_t id);

}  // namespace tessera::origin
