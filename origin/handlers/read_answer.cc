#include "origin/handlers/read_answer.h"

#include "origin/error.h"
#include "origin/handlers/refusal.h"
#include "origin/validators.h"

namespace tessera::origin {

http::Response read_answer(const Context& context, const http::RequestHead& head, const ReadContent& content,
                           const WriteBody& write_body) {
  Connection& connection = context.database.connection();
  ReadTransaction transaction(connection);
  if (connection.error()) return to_response(problem_of(connection.error()));

  http::Response response;
  http::Fields& fields = response.head.fields;
  const std::string revision = revision_text(context.database.id(), transaction.revision());
  const std::string tag = entity_tag(revision, content.schema, content.media_type, head.target);
  fields.set("Cache-Control", "no-cache");
  fields.set("Vary", "Accept");
  fields.set("ETag", tag);
  fields.set("Tessera-Revision", revision);
  if (is_unchanged(head.fields, tag)) {
    response.head.status = 304;
    return response;
  }

  json::Writer json(context.escape);
  if (const Checked<void> written = write_body(transaction, fields, json); !written) {
    return to_response(written.error());
  }
  if (!json.is_valid()) return to_response(problem_of(Error::text_not_utf8));
  fields.set("Content-Type", content.media_type);
  response.body = json.take();
  return response;
}

}  // namespace tessera::origin
