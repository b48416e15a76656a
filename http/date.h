// The Date field's value (IMF-fixdate, RFC 9110 5.6.7), made once a second.
#pragma once

#include <ctime>
#include <string_view>

namespace tessera::http {

// Belongs to one event loop.
class DateCache {
 public:
  // Valid until the next call.
  std::string_view text(std::time_t now);

 private:
  std::time_t second_ = -1;
  char text_[30] = {};
};

}  // namespace tessera::http
