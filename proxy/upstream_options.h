// What [origin] says, as the HTTP client takes it.
#pragma once

#include <cstddef>
#include <memory>

#include "config/settings.h"
#include "http/upstream.h"

namespace tessera::proxy {

// Throws std::runtime_error with a sentence when a URL is none that can be asked.
std::shared_ptr<http::OriginGroup> origin_group(const config::OriginSettings& settings, std::size_t loops);

http::UpstreamOptions upstream_options(const config::OriginSettings& settings);

}  // namespace tessera::proxy
