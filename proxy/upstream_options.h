// What [origin] says, as the HTTP client takes it.
#pragma once

#include <cstddef>
#include <memory>

#include "config/settings.h"
#include "http/upstream.h"

namespace tessera::proxy {

// Throws std::runtime_error with a sentence when a URL is none that can be asked.
std::shared_ptr<http::OriginGroup> origin_group(const config::OriginSettings& settings, std::size_t loops);

// With the TLS context that all event loops share. Throws as above when its files cannot be read.
http::UpstreamOptions upstream_options(const config::OriginSettings& settings);

}  // namespace tessera::proxy
