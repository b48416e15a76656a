// Requests as the tests of forwarding make them, and fields as they look at them.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/forwarding.h"

namespace tessera::proxy {

inline http::Fields fields_of(std::initializer_list<http::Field> lines) {
  http::Fields fields;
  for (const auto& line : lines) EXPECT_TRUE(fields.add(line.name, line.value));
  return fields;
}

inline std::vector<std::string> lines_of(const http::Fields& fields) {
  std::vector<std::string> lines;
  for (const auto& line : fields) lines.push_back(line.name + ": " + line.value);
  return lines;
}

inline http::Request request_of(std::initializer_list<http::Field> lines) {
  http::Request request;
  request.head.fields = fields_of(lines);
  request.peer_address = "192.0.2.7";
  return request;
}

}  // namespace tessera::proxy
