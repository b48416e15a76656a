// Dates as HTTP writes them (RFC 9110 5.6.7). Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tessera::http {

// All three forms: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37
// 1994". The day of the week is read and not compared. A two-digit year from 70 on is of the 20th century, a
// smaller one of the 21st (this function has no clock to find the nearest one by). Unset when the text is
// none of these, or no date of the calendar.
std::optional<std::chrono::system_clock::time_point> parse_http_date(std::string_view text);

}  // namespace tessera::http
