// Slides: one of them in its plain form, and their writing side.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/message.h"
#include "origin/context.h"

namespace tessera::origin {

// Writes answer with the course, slides and all: a slide's change is its course's change.
class SlideHandler {
 public:
  explicit SlideHandler(const Context& context) : context_(context) {}

  http::Response get(const http::RequestHead& head, std::int64_t id) const;  // 200
  http::Response create(const http::RequestHead& head, std::string_view body,
                        std::int64_t course) const;                                                    // 201
  http::Response change(const http::RequestHead& head, std::string_view body, std::int64_t id) const;  // 200
  http::Response remove(std::int64_t id) const;                                                        // 204

 private:
  const Context& context_;
};

}  // namespace tessera::origin
