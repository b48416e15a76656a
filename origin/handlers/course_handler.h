// The writing side of courses, and a single course in its plain form.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/message.h"
#include "origin/context.h"

namespace tessera::origin {

class CourseHandler {
 public:
  explicit CourseHandler(const Context& context) : context_(context) {}

  http::Response get(const http::RequestHead& head, std::int64_t id) const;                            // 200
  http::Response create(const http::RequestHead& head, std::string_view body) const;                   // 201
  http::Response change(const http::RequestHead& head, std::string_view body, std::int64_t id) const;  // 200
  http::Response change_many(const http::RequestHead& head, std::string_view body) const;              // 200
  http::Response remove(std::int64_t id) const;                                                        // 204

 private:
  const Context& context_;
};

}  // namespace tessera::origin
