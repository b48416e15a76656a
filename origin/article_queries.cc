#include "origin/article_queries.h"

#include <string>

namespace tessera::origin {
namespace {

// ?1 codec, ?2 limit, ?3 ids.
std::string clauses(const ArticleSelection& selection) {
  return std::string(" FROM articles WHERE codec = ?1") +
         (selection.ids ? " AND id IN (SELECT value FROM json_each(?3))" : "") +
         " ORDER BY created_at DESC, id DESC LIMIT ?2";
}

// `ids` must outlive the statement.
void bind_selection(Statement& rows, const json::Codec& codec, const ArticleSelection& selection,
                    const std::string& ids) {
  rows.bind(1, codec.name()).bind(2, selection.limit);
  if (selection.ids) rows.bind(3, ids);
}

Article article_of(const Statement& row) {
  return {row.integer(0), row.bytes(1), timestamp(row.integer(2)), timestamp(row.integer(3))};
}

}  // namespace

std::string article_name(std::int64_t id) {
  return "article " + std::to_string(id);
}

Checked<void> read_articles(Connection& connection, const json::Codec& codec,
                            const ArticleSelection& selection, const VisitArticle& visit) {
  const std::string ids = selection.ids ? id_list(*selection.ids) : std::string();
  Statement rows = connection.prepare("SELECT id, body, created_at, updated_at" + clauses(selection));
  bind_selection(rows, codec, selection, ids);
  while (rows.next()) {
    if (Checked<void> visited = visit(article_of(rows)); !visited) return visited;
  }
  if (connection.error()) return problem_of(connection.error());
  return {};
}

Checked<void> read_article(Connection& connection, const json::Codec& codec, std::int64_t id,
                           const VisitArticle& visit) {
  Statement row = connection.prepare(
      "SELECT id, body, created_at, updated_at FROM articles WHERE id = ?1 AND codec = ?2");
  row.bind(1, id).bind(2, codec.name());
  if (row.next()) return visit(article_of(row));
  return problem_of(connection.error() ? connection.error() : make_error_code(Error::not_found),
                    article_name(id));
}

Result<std::vector<RecordVersion>> read_article_versions(Connection& connection, const json::Codec& codec,
                                                         const ArticleSelection& selection) {
  const std::string ids = selection.ids ? id_list(*selection.ids) : std::string();
  Statement rows = connection.prepare("SELECT id, updated_at" + clauses(selection));
  bind_selection(rows, codec, selection, ids);
  std::vector<RecordVersion> versions;
  while (rows.next()) versions.push_back({rows.integer(0), timestamp(rows.integer(1))});
  if (connection.error()) return connection.error();
  return versions;
}

}  // namespace tessera::origin
