#include "origin/handlers/collection_handler.h"

#include <ctime>

#include "origin/course_queries.h"
#include "origin/handlers/read_answer.h"
#include "origin/handlers/refusal.h"
#include "origin/negotiation.h"
#include "origin/paging.h"
#include "origin/selection.h"
#include "origin/validators.h"

namespace tessera::origin {
namespace {

constexpr std::size_t kExpectedRecord =
    256;  // bytes of a course or a slide, for a first guess of the body's size

// Keeps this thread's processor busy, whoever else wants it.
void use_processor(std::chrono::microseconds time) {
  if (time.count() == 0) return;
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto end = used() + time;
  while (used() < end) {
  }
}

}  // namespace

http::Response CollectionHandler::get(const http::RequestHead& head, const Rendering& rendering) const {
  const Checked<Parameters> parameters = parse_parameters(head.query());
  if (!parameters) return to_response(parameters.error());
  const Checked<Selection> selection = parse_selection(*parameters);
  if (!selection) return to_response(selection.error());
  Statistics& statistics = context_.statistics;
  const bool by_ids = selection->ids.has_value();
  statistics.add(by_ids ? Counter::records_requests : Counter::collection_requests);

  const auto write_body = [&](ReadTransaction& transaction, http::Fields& fields,
                              json::Writer& json) -> Checked<void> {
    Connection& connection = transaction.connection();
    if (selection->page) {
      const Result<std::int64_t> total = count_courses(connection, *selection);
      if (!total) return problem_of(total.error());
      set_paging_fields(fields, head.path(), *parameters, *selection->page, *total);
    }
    const Result<CourseList> list = read_courses(connection, *selection, SlideScope::shown);
    if (!list) return problem_of(list.error());
    json.reserve((list->courses.size() + list->slides.size()) * kExpectedRecord);
    rendering.write_collection(list->courses, json);
    use_processor(context_.render_cost * list->courses.size());
    statistics.add(Counter::courses_rendered, list->courses.size());
    if (by_ids) statistics.add(Counter::courses_rendered_by_ids, list->courses.size());
    return {};
  };
  const ReadContent content{kJson, schema_of(context_.database.id(), rendering, context_.escape)};
  http::Response response = read_answer(context_, head, content, write_body);
  if (response.head.status == 304) statistics.add(Counter::collection_not_modified);
  return response;
}

}  // namespace tessera::origin
