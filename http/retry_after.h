// When a server wants to be asked again (RFC 9110 10.2.3). Pure.
#pragma once

#include <chrono>
#include <optional>

#include "http/fields.h"

namespace tessera::http {

// The seconds of a Retry-After (delta-seconds, or HTTP-date against `now`, rounded up; 0 when it has passed),
// unset when absent or unreadable. Larger numbers read as 2^31.
std::optional<std::chrono::seconds> retry_after(const Fields& fields,
                                                std::chrono::system_clock::time_point now);

}  // namespace tessera::http
