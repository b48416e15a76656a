// Finds the handler of a request: the table of the origin's resources.
#pragma once

#include <string_view>

#include "http/message.h"
#include "origin/context.h"
#include "origin/handlers/article_handler.h"
#include "origin/handlers/collection_handler.h"
#include "origin/handlers/course_handler.h"
#include "origin/handlers/manifest_handler.h"
#include "origin/handlers/record_handler.h"
#include "origin/handlers/slide_handler.h"

namespace tessera::origin {

// Belongs to one event loop. Answers without waiting for anything but the database.
class Router {
 public:
  explicit Router(const Context& context);
  Router(const Router&) = delete;  // the handlers refer to the context in here
  Router& operator=(const Router&) = delete;

  // `body`: the request's, in full. HEAD is answered as GET is, without the body.
  http::Response answer(const http::RequestHead& head, std::string_view body) const;

 private:
  http::Response find(const http::RequestHead& head, std::string_view body) const;
  http::Response courses(const http::RequestHead& head, std::string_view body) const;
  http::Response course(const http::RequestHead& head, std::string_view body, std::string_view name) const;
  http::Response course_part(const http::RequestHead& head, std::string_view body, std::string_view id,
                             std::string_view part) const;
  http::Response slide(const http::RequestHead& head, std::string_view body, std::string_view id) const;
  http::Response articles(const http::RequestHead& head, std::string_view body, std::string_view codec) const;
  http::Response article(const http::RequestHead& head, std::string_view codec, std::string_view name) const;
  http::Response statistics(const http::RequestHead& head) const;

  const Context context_;
  const CollectionHandler collections_;
  const ManifestHandler manifests_;
  const RecordHandler records_;
  const CourseHandler courses_;
  const SlideHandler slides_;
  const ArticleHandler articles_;
};

}  // namespace tessera::origin
