// The version, from the project() line of the top CMakeLists.txt.
#pragma once

#include <string_view>

namespace tessera::config {

extern const std::string_view kVersion;

}  // namespace tessera::config
