#include "http/message.h"

#include <algorithm>
#include <array>

namespace tessera::http {
namespace {

struct Reason {
  int status;
  std::string_view phrase;
};

// RFC 9110 15, RFC 6585, RFC 7725, RFC 8470.
constexpr std::array<Reason, 48> kReasons{{
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the well-formed UTF-8 sequence at the start of text (Unicode table 3-7), or 0.
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto within = [](unsigned value, unsigned low, unsigned high) {
    return value >= low && value <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (within(lead, 0xC2, 0xDF)) return within(byte(1), 0x80, 0xBF) ? 2 : 0;
  if (within(lead, 0xE0, 0xEF)) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return within(byte(1), low, high) && within(byte(2), 0x80, 0xBF) ? 3 : 0;
  }
  if (within(lead, 0xF0, 0xF4)) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    const bool tail = within(byte(2), 0x80, 0xBF) && within(byte(3), 0x80, 0xBF);
    return within(byte(1), low, high) && tail ? 4 : 0;
  }
  return 0;
}

// The detail may quote foreign bytes: what is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const auto length = utf8_sequence(text);
    const char c = text.front();
    if (length == 0) {
      out += kReplacement;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 0xF];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

std::string_view RequestHead::path() const {
  const std::string_view whole = target;
  return whole.substr(0, whole.find('?'));
}

std::optional<std::string_view> RequestHead::query() const {
  const std::string_view whole = target;
  const auto mark = whole.find('?');
  if (mark == std::string_view::npos) return std::nullopt;
  return whole.substr(mark + 1);
}

std::string_view reason_phrase(int status) {
  for (const auto& reason : kReasons) {
    if (reason.status == status) return reason.phrase;
  }
  return {};
}

bool is_about_upgrade(int status) {
  return status == 101 || status == 426;
}

Task<Result<std::string>> read_all(BodySource& body, std::size_t limit, Deadline deadline) {
  constexpr std::size_t kStep = 64 * 1024;
  const auto length = body.length();
  if (length && *length > limit) co_return Error::body_too_large;
  std::string bytes;
  // A declared length is a promise, not yet memory: room grows with what comes, but in one step when small.
  constexpr std::uint64_t kTrusted = 16 * 1024 * 1024;
  if (length) bytes.reserve(static_cast<std::size_t>(std::min(*length, kTrusted)) + 1);
  std::size_t size = 0;
  for (;;) {
    // One byte more than allowed is asked for, so that too large a body shows.
    const std::uint64_t left = length && *length > size ? *length - size : 0;
    const std::size_t wanted = length ? std::min(static_cast<std::size_t>(left) + 1, bytes.capacity())
                                      : std::min(kStep, size + 4096);
    const std::size_t room = limit - size < wanted ? limit - size + 1 : wanted;
    bytes.resize(size + room);
    const std::span<char> space(bytes.data() + size, room);
    const auto read = co_await body.read_some(space, deadline);
    if (!read) co_return read.error();
    size += *read;
    if (size > limit) co_return Error::body_too_large;
    if (*read == 0) break;
  }
  bytes.resize(size);
  co_return bytes;
}

Response problem(int status, std::string_view detail) {
  std::string body = R"({"type":"about:blank","title":)";
  append_json_string(body, reason_phrase(status));
  body += ",\"status\":" + std::to_string(status) + ",\"detail\":";
  append_json_string(body, detail);
  body += '}';
  Response response;
  response.head.status = status;
  response.head.fields.set("Content-Type", "application/problem+json");
  response.body = std::move(body);
  response.note.own_problem = true;
  return response;
}

void name_problem(Response& response, std::string_view id) {
  auto* body = std::get_if<std::string>(&response.body);
  if (!response.note.own_problem || !body || !body->ends_with('}') || id.empty()) return;
  body->pop_back();
  body->append(",\"request_id\":\"").append(id).append("\"}");
}

}  // namespace tessera::http
