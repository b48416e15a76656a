#include "origin/handlers/course_handler.h"

#include "origin/course_changes.h"
#include "origin/course_input.h"
#include "origin/handlers/plain_record.h"
#include "origin/handlers/read_answer.h"
#include "origin/handlers/refusal.h"
#include "origin/handlers/write_answer.h"
#include "origin/negotiation.h"

namespace tessera::origin {
http::Response CourseHandler::get(const http::RequestHead& head, std::int64_t id) const {
  const auto write_body = [&](ReadTransaction& transaction, http::Fields&, json::Writer& json) {
    return write_plain_course(transaction.connection(), id, json);
  };
  const ReadContent content{kJson, plain_schema(context_.database.id(), context_.escape)};
  return read_answer(context_, head, content, write_body);
}

http::Response CourseHandler::create(const http::RequestHead& head, std::string_view body) const {
  if (const auto problem = refuse_media_type(head)) return to_response(*problem);
  const Checked<CourseInput> input = parse_new_course(body);
  if (!input) return to_response(input.error());
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer& json) -> Checked<Written> {
    const Result<std::int64_t> id = CourseChanges(transaction).create_course(*input);
    if (!id) return problem_of(id.error());
    const Checked<void> written = write_plain_course(transaction.connection(), *id, json);
    if (!written) return written.error();
    return Written{201, "/courses/" + std::to_string(*id)};
  });
}

http::Response CourseHandler::change(const http::RequestHead& head, std::string_view body,
                                     std::int64_t id) const {
  if (const auto problem = refuse_media_type(head)) return to_response(*problem);
  const Checked<CourseInput> input = parse_course_change(body);
  if (!input) return to_response(input.error());
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer& json) -> Checked<Written> {
    const Result<void> changed = CourseChanges(transaction).change_course(id, *input);
    if (!changed) return problem_of(changed.error(), course_name(id));
    const Checked<void> written = write_plain_course(transaction.connection(), id, json);
    if (!written) return written.error();
    return Written{};
  });
}

http::Response CourseHandler::change_many(const http::RequestHead& head, std::string_view body) const {
  if (const auto problem = refuse_media_type(head)) return to_response(*problem);
  const Checked<std::vector<CourseInput>> inputs = parse_course_changes(body);
  if (!inputs) return to_response(inputs.error());
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer& json) -> Checked<Written> {
    CourseChanges changes(transaction);
    json.begin_array();
    for (const CourseInput& input : *inputs) {
      const Result<void> changed = changes.change_course(*input.id, input);
      if (!changed) return problem_of(changed.error(), course_name(*input.id));
      const Checked<void> written = write_plain_course(transaction.connection(), *input.id, json);
      if (!written) return written.error();
    }
    json.end_array();
    return Written{};
  });
}

http::Response CourseHandler::remove(std::int64_t id) const {
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer&) -> Checked<Written> {
    const Result<void> deleted = CourseChanges(transaction).delete_course(id);
    if (!deleted) return problem_of(deleted.error(), course_name(id));
    return Written{204, {}};
  });
}

}  // namespace tessera::origin
