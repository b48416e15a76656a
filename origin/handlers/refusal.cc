#include "origin/handlers/refusal.h"

namespace tessera::origin {

http::Response to_response(const Problem& problem) {
  http::Response response = http::problem(problem.status, problem.detail);
  if (problem.status == 503) response.head.fields.set("Retry-After", "1");
  return response;
}

}  // namespace tessera::origin
