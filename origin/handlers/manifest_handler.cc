#include "origin/handlers/manifest_handler.h"

#include <charconv>

#include "origin/course_queries.h"
#include "origin/handlers/read_answer.h"
#include "origin/handlers/refusal.h"
#include "origin/negotiation.h"
#include "origin/paging.h"
#include "origin/selection.h"
#include "origin/validators.h"

namespace tessera::origin {
namespace {

constexpr json::Key kSchema{"schema"};
constexpr json::Key kRecords{"records"};

// {"schema":"...","records":[["1","2019-07-09T18:30:13.123456Z"],...]}
void write_manifest(const std::string& schema, const std::vector<CourseVersion>& versions,
                    json::Writer& json) {
  TimestampFormatter dates;
  char id[24];
  id[0] = '"';
  json.begin_object();
  json.key(kSchema);
  json.string(schema);
  json.key(kRecords);
  json.begin_array();
  for (const CourseVersion& version : versions) {
    char* end = std::to_chars(id + 1, id + sizeof id - 1, version.id).ptr;
    *end++ = '"';
    json.begin_array();
    json.raw({id, static_cast<std::size_t>(end - id)});
    json.raw(dates.quoted(version.updated_at, Precision::microseconds));
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

}  // namespace

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
    const Result<std::vector<CourseVersion>> versions = read_versions(connection, *selection);
    if (!versions) return problem_of(versions.error());
    write_manifest(schema, *versions, json);
    return {};
  };
  http::Response response = read_answer(context_, head, ReadContent{kManifest, schema}, write_body);
  if (response.head.status == 304) context_.statistics.add(Counter::manifest_not_modified);
  return response;
}

}  // namespace tessera::origin
