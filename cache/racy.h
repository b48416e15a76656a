// Versions that cannot tell two writes apart: timestamps with fewer than six digits of fraction (the racy
// problem of git's index).
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tessera::cache {

using UtcTime = std::chrono::sys_time<std::chrono::microseconds>;

// The time that the text means when it reads as a timestamp (ISO 8601 / RFC 3339 with 'T' or a blank, offset
// or Z or neither = UTC; or an integer of 10 digits = seconds or 13 = milliseconds since 1970) with fewer
// than six digits of fraction; unset for anything else (six digits or more, or no timestamp).
std::optional<UtcTime> coarse_timestamp(std::string_view version);

// True unless the origin's own clock is more than `settle` past the version's second (or milli-, ... second).
bool is_racy(std::string_view version, UtcTime origin_date, std::chrono::milliseconds settle);

}  // namespace tessera::cache
