#include "origin/handlers/slide_handler.h"

#include "origin/course_changes.h"
#include "origin/course_input.h"
#include "origin/handlers/plain_record.h"
#include "origin/handlers/read_answer.h"
#include "origin/handlers/refusal.h"
#include "origin/handlers/write_answer.h"
#include "origin/negotiation.h"

namespace tessera::origin {

http::Response SlideHandler::get(const http::RequestHead& head, std::int64_t id) const {
  const auto write_body = [&](ReadTransaction& transaction, http::Fields&, json::Writer& json) {
    return write_plain_slide(transaction.connection(), id, json);
  };
  const ReadContent content{kJson, plain_schema(context_.database.id(), context_.escape)};
  return read_answer(context_, head, content, write_body);
}

http::Response SlideHandler::create(const http::RequestHead& head, std::string_view body,
                                    std::int64_t course) const {
  if (const auto problem = refuse_media_type(head)) return to_response(*problem);
  const Checked<SlideInput> input = parse_new_slide(body);
  if (!input) return to_response(input.error());
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer& json) -> Checked<Written> {
    const Result<std::int64_t> id = CourseChanges(transaction).create_slide(course, *input);
    if (!id) return problem_of(id.error(), course_name(course));
    const Checked<void> written = write_plain_course(transaction.connection(), course, json);
    if (!written) return written.error();
    return Written{201, "/slides/" + std::to_string(*id)};
  });
}

http::Response SlideHandler::change(const http::RequestHead& head, std::string_view body,
                                    std::int64_t id) const {
  if (const auto problem = refuse_media_type(head)) return to_response(*problem);
  const Checked<SlideInput> input = parse_slide_change(body);
  if (!input) return to_response(input.error());
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer& json) -> Checked<Written> {
    const Result<std::int64_t> course = CourseChanges(transaction).change_slide(id, *input);
    if (!course) return problem_of(course.error(), slide_name(id));
    const Checked<void> written = write_plain_course(transaction.connection(), *course, json);
    if (!written) return written.error();
    return Written{};
  });
}

http::Response SlideHandler::remove(std::int64_t id) const {
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer&) -> Checked<Written> {
    const Result<void> deleted = CourseChanges(transaction).delete_slide(id);
    if (!deleted) return problem_of(deleted.error(), slide_name(id));
    return Written{204, {}};
  });
}

}  // namespace tessera::origin
