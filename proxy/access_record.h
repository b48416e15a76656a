// One line of the access log. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::proxy {

// Views of what must outlive the call.
struct AccessRecord {
  std::chrono::system_clock::time_point time;  // when the response had been sent
  std::string_view client;                     // address
  std::string_view method;
  std::string_view target;
  unsigned version = 11;
  bool tls = false;
  int status = 0;
  std::uint64_t bytes = 0;  // of the body, as sent
  bool complete = true;     // false: the client left, or the body broke off
  std::chrono::microseconds duration{};
  std::chrono::microseconds origin{};  // until the origin's head had come; zero: not known
  std::string_view id;
  std::string_view route;
  std::string_view result;  // "hit", "passed" ...
  std::string_view reason;  // "" or why it was passed
  std::string_view user_agent;
  std::string_view referer;
};

// Appends the record as one line, without its end. Whatever a client has sent, the line stays one line and
// its values stay within their quotes: JSON by JSON's escapes, of all but
// printable ASCII (what is not UTF-8 is U+FFFD), combined with
// \xHH for quotes, backslashes, control bytes and everything above ASCII, as Apache writes it.
void append_json(std::string& line, const AccessRecord& record);
void append_combined(std::string& line, const AccessRecord& record);

}  // namespace tessera::proxy
