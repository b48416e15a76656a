// The parameters of a request target.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "origin/problem.h"

namespace tessera::origin {

struct Parameter {
  std::string name;   // decoded
  std::string value;  // decoded
  std::string text;   // "name=value" as it was sent
};

using Parameters = std::vector<Parameter>;  // in the order of the query

// A query with a broken percent escape, or with a character that needs one, is refused with 400.
Checked<Parameters> parse_parameters(const http::RequestHead& head);

}  // namespace tessera::origin
