#include "proxy/access_record.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "json/escape.h"

namespace tessera::proxy {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::tm utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return parts;
}

void append_escape(std::string& out, unsigned unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 0xF];
}

// Of one well-formed sequence.
unsigned code_point(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence.front());
  unsigned point = static_cast<unsigned char>(sequence.front()) & (0x7Fu >> sequence.size());
  for (const char c : sequence.substr(1)) point = point << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return point;
}

// Nothing but printable ASCII is written: a terminal that shows the log obeys U+009B as it does ESC [, and
// U+202E turns what follows it around.
void append_json_text(std::string& out, std::string_view text) {
  constexpr unsigned kReplacement = 0xFFFD;
  out += '"';
  while (!text.empty()) {
    const auto length = json::utf8_sequence(text.data(), text.data() + text.size());
    const unsigned point = length == 0 ? kReplacement : code_point(text.substr(0, length));
    if (point == '"' || point == '\\') {
      out += '\\';
      out += static_cast<char>(point);
    } else if (point >= 0x20 && point < 0x7F) {
      out += static_cast<char>(point);
    } else if (point < 0x10000) {
      append_escape(out, point);
    } else {
      append_escape(out, 0xD800 + ((point - 0x10000) >> 10));
      append_escape(out, 0xDC00 + ((point - 0x10000) & 0x3FF));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void append_member(std::string& out, std::string_view name, std::string_view value) {
  out.append(",\"").append(name).append("\":");
  append_json_text(out, value);
}

void append_member(std::string& out, std::string_view name, std::uint64_t value) {
  out.append(",\"").append(name).append("\":").append(std::to_string(value));
}

// "0.001234"
std::string seconds(std::chrono::microseconds time) {
  std::array<char, 32> text{};
  const auto count = static_cast<long long>(time.count());
  const int size =
      std::snprintf(text.data(), text.size(), "%lld.%06lld", count / 1'000'000, count % 1'000'000);
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::string_view protocol(unsigned version) {
  return version == 10 ? "HTTP/1.0" : "HTTP/1.1";
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  if (text.empty()) out += '-';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\') {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xF];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

void append_json(std::string& line, const AccessRecord& record) {
  const std::tm when = utc(record.time);
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(record.time.time_since_epoch()).count() % 1'000;
  std::array<char, 64> time{};
  const auto size = std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%S", &when);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03uZ", static_cast<unsigned>(millis));
  line.append("{\"time\":\"").append(time.data(), size).append(fraction.data()).append("\"");
  append_member(line, "client", record.client);
  append_member(line, "method", record.method);
  append_member(line, "target", record.target);
  append_member(line, "protocol", protocol(record.version));
  line.append(",\"tls\":").append(record.tls ? "true" : "false");
  append_member(line, "status", static_cast<std::uint64_t>(record.status));
  append_member(line, "bytes", record.bytes);
  line.append(",\"complete\":").append(record.complete ? "true" : "false");
  line.append(",\"duration\":").append(seconds(record.duration));
  if (record.origin.count() > 0) line.append(",\"origin\":").append(seconds(record.origin));
  append_member(line, "id", record.id);
  append_member(line, "route", record.route);
  append_member(line, "result", record.result);
  if (!record.reason.empty()) append_member(line, "reason", record.reason);
  append_member(line, "user_agent", record.user_agent);
  append_member(line, "referer", record.referer);
  line += '}';
}

void append_combined(std::string& line, const AccessRecord& record) {
  const std::tm when = utc(record.time);
  std::array<char, 64> time{};
  const auto size = std::strftime(time.data(), time.size(), "%d/%b/%Y:%H:%M:%S +0000", &when);
  line.append(record.client.empty() ? "-" : record.client)
      .append(" - - [")
      .append(time.data(), size)
      .append("] ");
  std::string request(record.method);
  request.append(" ").append(record.target).append(" ").append(protocol(record.version));
  append_quoted(line, request);
  line.append(" ").append(std::to_string(record.status)).append(" ");
  line.append(record.bytes == 0 ? "-" : std::to_string(record.bytes)).append(" ");
  append_quoted(line, record.referer);
  line += ' ';
  append_quoted(line, record.user_agent);
}

}  // namespace tessera::proxy
