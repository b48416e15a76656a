#include "origin/handlers/manifest_handler.h"

#include "origin/course_queries.h"
#include "origin/handlers/manifest_body.h"
#include "origin/handlers/read_answer.h"
#include "origin/handlers/refusal.h"
#include "origin/negotiation.h"
#include "origin/paging.h"
#include "origin/selection.h"
#include "origin/validators.h"

namespace tessera::origin {
http::Response ManifestHandler::get(const http::RequestHead& head, const Rendering& rendering) const {
  return answer(head, schema_of(context_.database.id(), rendering, context_.escape));
}

http::Response ManifestHandler::get_common(const http::RequestHead& head) const {
  return answer(head, schema_of(context_.database.id(), context_.registry, context_.escape));
}

http::Response ManifestHandler::answer(const http::RequestHead& head, const std::string& schema) const {
  context_.statistics.add(Counter::manifest_requests);
  const Checked<Parameters> parameters = parse_parameters(head.query());
  if (!parameters) return to_response(parameters.error());
  const Checked<Selection> selection = parse_selection(*parameters);
  if (!selection) return to_response(selection.error());

  const auto write_body = [&](ReadTransaction& transaction, http::Fields& fields,
                              json::Writer& json) -> Checked<void> {
    Connection& connection = transaction.connection();
    if (selection->page) {
      const Result<std::int64_t> total = count_courses(connection, *selection);
      if (!total) return problem_of(total.error());
      set_paging_fields(fields, head.path(), *parameters, *selection->page, *total);
    }
    const Result<std::vector<RecordVersion>> versions = read_versions(connection, *selection);
    if (!versions) return problem_of(versions.error());
    write_manifest(schema, *versions, json);
    return {};
  };
  http::Response response = read_answer(context_, head, ReadContent{kManifest, schema}, write_body);
  if (response.head.status == 304) context_.statistics.add(Counter::manifest_not_modified);
  return response;
}

}  // namespace tessera::origin
