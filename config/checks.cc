#include "config/checks.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "config/address.h"
#include "config/network.h"

namespace tessera::config {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_digit(c) || is_letter(c) || others.find(c) != std::string_view::npos;
  });
}

bool is_token(std::string_view text) {
  return !text.empty() && consists_of(text, "!#$%&'*+-.^_`|~");
}

bool is_database(std::string_view text) {
  unsigned value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && stop == end && value <= 1'000'000;
}

bool has_broken_escape(std::string_view text) {
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1)) {
    const auto digits = text.substr(i + 1, 2);
    if (digits.size() != 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
      return true;
  }
  return false;
}

std::string check_socket_path(std::string_view path, const std::string& form) {
  constexpr std::size_t kLongest = 107;  // sockaddr_un::sun_path with its end
  if (path.size() < 2 || !path.starts_with('/')) return "names no socket; " + form;
  if (path.size() > kLongest) return "has a path of more than 107 bytes, which no socket can have";
  return {};
}

// "/run/redis.sock", "/run/redis.sock?db=1"
std::string check_socket(std::string_view text, const std::string& form) {
  const auto question = text.find('?');
  const auto path = text.substr(0, question);
  auto complaint = check_socket_path(path, form);
  if (!complaint.empty()) return complaint;
  if (has_broken_escape(path)) return "has a '%' in the path; write it as \"%25\"";
  if (question == std::string_view::npos) return {};
  const auto query = text.substr(question + 1);
  if (query.starts_with("db=") && is_database(query.substr(3))) return {};
  return "has something behind the path; only \"?db=NUMBER\" may stand there";
}

// Length of the well-formed UTF-8 sequence at the start of text (Unicode table 3-7), or 0.
std::size_t utf8_sequence(std::string_view text) {
  const auto in = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && static_cast<unsigned char>(text[i]) >= low &&
           static_cast<unsigned char>(text[i]) <= high;
  };
  if (in(0, 0x00, 0x7F)) return 1;
  if (in(0, 0xC2, 0xDF)) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (in(0, 0xE0, 0xEF)) {
    const bool second = in(0, 0xE0, 0xE0) ? in(1, 0xA0, 0xBF) : in(1, 0x80, in(0, 0xED, 0xED) ? 0x9F : 0xBF);
    return second && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (in(0, 0xF0, 0xF4)) {
    const bool second = in(0, 0xF0, 0xF0) ? in(1, 0x90, 0xBF) : in(1, 0x80, in(0, 0xF4, 0xF4) ? 0x8F : 0xBF);
    return second && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

struct Braces {
  std::vector<std::string> names;
  std::string complaint;  // "": they are balanced
};

Braces find_braces(std::string_view text) {
  Braces found;
  while (!text.empty()) {
    const auto brace = text.find_first_of("{}");
    if (brace == std::string_view::npos) break;
    const auto end = text.find_first_of("{}", brace + 1);
    if (text[brace] == '}' || end == std::string_view::npos || text[end] == '{') {
      found.complaint = "has a brace without its partner";
      return found;
    }
    found.names.emplace_back(text.substr(brace + 1, end - brace - 1));
    text.remove_prefix(end + 1);
  }
  return found;
}

std::string check_segment(std::string_view segment, bool is_last) {
  if (segment.find_first_of("{}") == std::string_view::npos) return {};
  if (!segment.starts_with('{') || !segment.ends_with('}')) {
    return "has braces within a segment; a name in braces takes a whole one, as \"/courses/{rendering}\"";
  }
  const auto name = segment.substr(1, segment.size() - 2);
  if (name == "*") return is_last ? "" : "has {*} before its end; it takes the rest of the path";
  if (name.empty() || is_digit(name.front()) || !consists_of(name, "_")) {
    return "has \"" + std::string(segment) + "\"; a name is made of letters, digits and '_'";
  }
  if (name == "path" || name == "query" || name == "ids") {
    return "uses the name " + std::string(name) +
           ", which has a meaning of its own in templates; choose another";
  }
  return {};
}

}  // namespace

std::string check_address(std::string_view text) {
  const auto parsed = parse_host_port(text);
  if (parsed && parsed->port) return {};
  return "is no address with a port; write it as \"127.0.0.1:8080\", \"[::1]:8080\" or \"localhost:8080\"";
}

std::string check_network(std::string_view text) {
  if (parse_network(text)) return {};
  return "is no address or network; write it as \"10.0.0.0/8\", \"192.0.2.7\", \"fd00::/8\" or \"::1\"";
}

std::string check_host_name(std::string_view text) {
  const auto parsed = parse_host_port(text);
  if (parsed && !parsed->port) return {};
  return "is no host name; write it as \"api.example.com\", without a port";
}

std::string check_socket_path(std::string_view text) {
  constexpr std::size_t kLongest = 96;  // of sockaddr_un::sun_path's 107, with room for a suffix
  if (!text.starts_with('/') || text.size() < 2 || text.ends_with('/')) {
    return "names no socket; write it as \"/run/tessera/handover.sock\"";
  }
  return text.size() > kLongest ? "has a path of more than 96 bytes, which is too long for a socket" : "";
}

std::string check_origin_url(std::string_view text) {
  constexpr std::string_view kUnix = "unix://";
  const std::string form =
      "write it as \"http://127.0.0.1:3042\", \"https://api.example.com\" or \"unix:///run/app.sock\"";
  if (text.starts_with(kUnix)) return check_socket_path(text.substr(kUnix.size()), form);
  const auto scheme = std::string_view(text.starts_with("https://") ? "https://" : "http://");
  if (!text.starts_with(scheme)) return "is no origin; " + form;
  auto authority = text.substr(scheme.size());
  if (authority.ends_with('/')) authority.remove_suffix(1);
  if (authority.find_first_of("/?#") != std::string_view::npos) {
    return "has a path; requests keep their own path, so " + form;
  }
  const auto parsed = parse_host_port(authority);
  if (!parsed || parsed->port == 0) return "has no valid host and port; " + form;
  return {};
}

std::string check_health_path(std::string_view text) {
  if (!text.starts_with('/')) return "must start with \"/\", as \"/health\"";
  if (text.find_first_of("# ") != std::string_view::npos) return "may hold neither '#' nor a blank";
  return {};
}

std::string check_redis_address(std::string_view text) {
  const std::string form =
      "write it as \"redis://127.0.0.1:6379/0\", \"rediss://host:6379/0\" (TLS) or "
      "\"unix:///run/redis/redis.sock\"";
  const auto scheme_end = text.find("://");
  const auto scheme = text.substr(0, scheme_end == std::string_view::npos ? 0 : scheme_end);
  const bool is_unix = scheme == "unix";
  if (!is_unix && scheme != "redis" && scheme != "rediss") return "has no scheme that is known; " + form;
  auto rest = text.substr(scheme_end + 3);
  const auto at = rest.substr(0, rest.find('/')).rfind('@');
  if (at != std::string_view::npos) {
    const auto credentials = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const auto colon = credentials.find(':');
    if (colon == std::string_view::npos || colon + 1 == credentials.size()) {
      return "has a user and no password; write it as \"redis://:PASSWORD@host:6379/0\"";
    }
    if (has_broken_escape(credentials)) return "has a '%' in user or password; write it as \"%25\"";
  }
  if (is_unix) return check_socket(rest, form);
  const auto slash = rest.find('/');
  const auto parsed = parse_host_port(rest.substr(0, slash));
  if (!parsed || parsed->port == 0) return "has no valid host and port; " + form;
  if (slash == std::string_view::npos || slash + 1 == rest.size()) return {};
  return is_database(rest.substr(slash + 1)) ? "" : "names a database that is no number; " + form;
}

std::string check_token(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; })) return {};
  return "cannot be sent as a bearer token; use visible ASCII characters without blanks";
}

std::string check_prefix(std::string_view text) {
  if (text.size() <= 64 && consists_of(text, "-_.:{}")) return {};
  return "is no prefix; use at most 64 letters, digits and - _ . : { }";
}

std::string check_route_name(std::string_view text) {
  if (text.size() <= 64 && consists_of(text, "-_.")) return {};
  return "is no name of a route; use at most 64 letters, digits and - _ .";
}

std::string check_path(std::string_view text) {
  if (!text.starts_with('/')) return "must start with \"/\", as \"/courses/{rendering}\"";
  if (text.find_first_of("?# ") != std::string_view::npos)
    return "must be a path alone, without '?', '#' or a blank";
  const auto braces = find_braces(text);
  if (!braces.complaint.empty()) return braces.complaint;
  if (text != "/" && (text.ends_with('/') || text.find("//") != std::string_view::npos)) {
    return "has an empty segment, which no request matches; leave one '/' out";
  }
  std::size_t begin = 1;
  while (begin <= text.size()) {
    const auto end = std::min(text.find('/', begin), text.size());
    const auto complaint = check_segment(text.substr(begin, end - begin), end == text.size());
    if (!complaint.empty()) return complaint;
    begin = end + 1;
  }
  auto names = braces.names;
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) return "has {" + *twice + "} twice; give each a name of its own";
  return {};
}

std::string check_pointer(std::string_view text) {
  if (!text.starts_with('/'))
    return "is no JSON Pointer; it must be empty or start with \"/\", as \"/data\" (RFC 6901)";
  for (std::size_t i = text.find('~'); i != std::string_view::npos; i = text.find('~', i + 1)) {
    if (i + 1 >= text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) {
      return "is no JSON Pointer; '~' is written \"~0\" and '/' within a name \"~1\" (RFC 6901)";
    }
  }
  return {};
}

std::string check_list_param(std::string_view text) {
  if (text == "ids") return "may not be listed; the proxy sets it itself";
  if (text.find_first_of("&=#? ") != std::string_view::npos) return "is no name of a query parameter";
  return {};
}

std::string check_credential(std::string_view text) {
  constexpr std::string_view kCookie = "cookie:";
  if (text == "authorization" || text == "cookie") return {};
  if (text.starts_with(kCookie) && is_token(text.substr(kCookie.size()))) return {};
  return "is none; write \"authorization\", \"cookie\" or \"cookie:NAME\"";
}

std::string check_field_name(std::string_view text) {
  if (!is_token(text)) return "is no name of a request field; write it as \"X-Tenant\"";
  return {};
}

std::vector<std::string> path_names(std::string_view path) {
  return find_braces(path).names;
}

std::string check_template(std::string_view text, const std::vector<std::string>& names) {
  const auto braces = find_braces(text);
  if (!braces.complaint.empty()) return braces.complaint;
  if (!text.starts_with('/') && !text.starts_with("{path}")) return "must start with \"/\" or \"{path}\"";
  if (text.find_first_of("# ") != std::string_view::npos) return "may hold neither '#' nor a blank";
  for (const auto& name : braces.names) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string known;
    for (const auto& each : names) known += (known.empty() ? "{" : ", {") + each + "}";
    return "has {" + name + "}, which is not known here; known are " + known;
  }
  return {};
}

std::size_t count_name(std::string_view text, std::string_view name) {
  const auto names = find_braces(text).names;
  return static_cast<std::size_t>(std::count(names.begin(), names.end(), name));
}

std::string check_characters(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_sequence(text);
    if (length == 0) return "is not UTF-8";
    const auto c = static_cast<unsigned char>(text.front());
    if (c < 0x20 || c == 0x7F) return "holds a control character";
    text.remove_prefix(length);
  }
  return {};
}

}  // namespace tessera::config
