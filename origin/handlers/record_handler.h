// GET /courses/{id}/{rendering}: one course as its collection shows it, or as the rendering shows a single
// one.
#pragma once

#include <cstdint>

#include "http/message.h"
#include "origin/context.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {

class RecordHandler {
 public:
  explicit RecordHandler(const Context& context) : context_(context) {}

  http::Response get(const http::RequestHead& head, std::int64_t id, const Rendering& rendering) const;

 private:
  const Context& context_;
};

}  // namespace tessera::origin
