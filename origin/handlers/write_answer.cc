#include "origin/handlers/write_answer.h"

#include "origin/error.h"
#include "origin/handlers/refusal.h"
#include "origin/negotiation.h"
#include "origin/validators.h"

namespace tessera::origin {

http::Response write_answer(const Context& context, const Write& write) {
  Connection& connection = context.database.connection();
  WriteTransaction transaction(connection, context.database.writers());
  if (connection.error()) return to_response(problem_of(connection.error()));

  json::Writer json(context.escape);
  const Checked<Written> written = write(transaction, json);
  if (!written) return to_response(written.error());
  if (!json.is_valid()) return to_response(problem_of(Error::text_not_utf8));
  const Result<Revision> revision = transaction.commit();
  if (!revision) return to_response(problem_of(revision.error()));
  context.statistics.add(Counter::writes);

  http::Response response;
  response.head.status = written->status;
  http::Fields& fields = response.head.fields;
  fields.set("Tessera-Revision", revision_text(context.database.id(), *revision));
  if (!written->location.empty()) fields.set("Location", written->location);
  if (json.size() > 0) {
    fields.set("Content-Type", kJson);
    response.body = json.take();
  }
  return response;
}

std::optional<Problem> refuse_media_type(const http::RequestHead& head) {
  if (is_json(head.fields)) return std::nullopt;
  return Problem{415, "the body must be application/json"};
}

}  // namespace tessera::origin
