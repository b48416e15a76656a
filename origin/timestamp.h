// Points in time as the database keeps them: whole microseconds since 1970, UTC.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace tessera::origin {

using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

// How many digits of the second are shown; the rest is cut off, never rounded.
enum class Precision : std::uint8_t { seconds, milliseconds, microseconds };

// Writes ISO 8601 in UTC: 2024-03-05T07:08:09Z, 2024-03-05T07:08:09.123Z. Remembers the last date, since most
// neighbours share it. Years outside 0000 to 9999 are shown as the nearest that has four digits.
class TimestampFormatter {
 public:
  // In double quotes, as JSON wants it. Valid until the next call.
  std::string_view quoted(Timestamp time, Precision precision);

 private:
  void set_date(std::chrono::sys_days day);

  char text_[32] = {};
  bool has_date_ = false;
  std::chrono::sys_days day_{};
};

}  // namespace tessera::origin
