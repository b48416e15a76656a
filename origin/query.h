// The parameters of a request target.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "origin/problem.h"

namespace tessera::origin {

struct Parameter {
  std::string name;   // decoded
  std::string value;  // decoded
  std::string text;   // "name=value" as it was sent
};

using Parameters = std::vector<Parameter>;  // in the order of the query

// `query`: what follows the '?', if there is one. A broken percent escape, or a character that needs one, is
// refused with 400.
Checked<Parameters> parse_parameters(std::optional<std::string_view> query);

}  // namespace tessera::origin
