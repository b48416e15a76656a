// GET /courses/{rendering}: the courses that the parameters select, rendered afresh.
#pragma once

#include "http/message.h"
#include "origin/context.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {

class CollectionHandler {
 public:
  explicit CollectionHandler(const Context& context) : context_(context) {}

  http::Response get(const http::RequestHead& head, const Rendering& rendering) const;

 private:
  const Context& context_;
};

}  // namespace tessera::origin
