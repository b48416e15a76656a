#include "origin/article_changes.h"

namespace tessera::origin {

Result<std::int64_t> ArticleChanges::create(const json::Codec& codec, std::string_view stored) {
  Connection& connection = transaction_.connection();
  {
    Statement insert = connection.prepare(
        "INSERT INTO articles (codec, body, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)");
    insert.bind(1, codec.name());
    if (codec.is_text()) {
      insert.bind(2, stored);
    } else {
      insert.bind_bytes(2, stored);
    }
    insert.bind(3, transaction_.time().time_since_epoch().count()).run();
  }
  if (connection.error()) return connection.error();
  return connection.last_insert_id();
}

Result<void> ArticleChanges::remove(const json::Codec& codec, std::int64_t id) {
  Connection& connection = transaction_.connection();
  connection.prepare("DELETE FROM articles WHERE id = ?1 AND codec = ?2")
      .bind(1, id)
      .bind(2, codec.name())
      .run();
  if (connection.error()) return connection.error();
  if (connection.changes() == 0) return make_error_code(Error::not_found);
  return {};
}

}  // namespace tessera::origin
