#include "config/version.h"

namespace tessera::config {

constinit const std::string_view kVersion = TESSERA_VERSION;

}  // namespace tessera::config
