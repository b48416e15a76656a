// The manifest: ids and versions of the courses that the same parameters select from a collection.
#pragma once

#include <string>

#include "http/message.h"
#include "origin/context.h"
#include "origin/renderings/rendering.h"

namespace tessera::origin {

class ManifestHandler {
 public:
  explicit ManifestHandler(const Context& context) : context_(context) {}

  // GET /courses/{rendering} with Accept: application/vnd.tessera.manifest+json.
  http::Response get(const http::RequestHead& head, const Rendering& rendering) const;
  // GET /courses/manifest: good for every rendering; its schema changes with any of them.
  http::Response get_common(const http::RequestHead& head) const;

 private:
  http::Response answer(const http::RequestHead& head, const std::string& schema) const;

  const Context& context_;
};

}  // namespace tessera::origin
