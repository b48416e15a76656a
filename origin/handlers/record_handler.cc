#include "origin/handlers/record_handler.h"

#include "origin/course_queries.h"
#include "origin/error.h"
#include "origin/handlers/read_answer.h"
#include "origin/negotiation.h"
#include "origin/validators.h"

namespace tessera::origin {

http::Response RecordHandler::get(const http::RequestHead& head, std::int64_t id,
                                  const Rendering& rendering) const {
  context_.statistics.add(Counter::record_requests);
  const auto write_body = [&](ReadTransaction& transaction, http::Fields&,
                              json::Writer& json) -> Checked<void> {
    Selection selection;
    selection.ids = {id};
    const Result<CourseList> list = read_courses(transaction.connection(), selection, SlideScope::shown);
    if (!list) return problem_of(list.error());
    if (list->courses.empty()) return problem_of(Error::not_found, "course " + std::to_string(id));
    rendering.write_record(list->courses.front(), json);
    context_.statistics.add(Counter::courses_rendered);
    return {};
  };
  const ReadContent content{kJson, schema_of(context_.database.id(), rendering, context_.escape)};
  return read_answer(context_, head, content, write_body);
}

}  // namespace tessera::origin
