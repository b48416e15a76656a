// What a client prefers, by its Accept field (RFC 9110 12.5.1), and whether a body may be read.
#pragma once

#include <string_view>

#include "http/fields.h"

namespace tessera::origin {

inline constexpr std::string_view kJson = "application/json; charset=utf-8";
inline constexpr std::string_view kManifest = "application/vnd.tessera.manifest+json";

// True when Accept names the manifest's media type, and no less eagerly than JSON. Ranges such as */* mean
// the collection, as they did before there was a manifest.
bool prefers_manifest(const http::Fields& fields);

// False when Accept leaves JSON out, or weighs it with 0. Whoever has no preference takes it.
bool accepts_json(const http::Fields& fields);

// True when the Content-Type of a request is application/json, whatever its parameters.
bool is_json(const http::Fields& fields);

}  // namespace tessera::origin
