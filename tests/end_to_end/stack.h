// An origin and a proxy in front of it, both the real programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/programs.h"

namespace tessera::test {

struct Stack {
  OriginProgram origin;
  ProxyProgram proxy;

  explicit Stack(std::vector<std::string> origin_arguments = {"--courses", "40"},
                 const std::vector<std::string>& proxy_arguments = {}, std::string_view config = "",
                 const Environment& environment = {})
      : origin(std::move(origin_arguments)), proxy(origin.url(), proxy_arguments, config, environment) {}
};

inline const std::vector<std::string>& renderings() {
  static const std::vector<std::string> kNames{"cache_crispies", "jbuilder", "blueprinter",
                                               "active_model_serializer", "fast_jsonapi"};
  return kNames;
}

}  // namespace tessera::test
