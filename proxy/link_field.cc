// A target's pieces are found by their delimiters (RFC 3986 appendix B) and everything else of it is kept
// byte for byte: origins write targets such as "?page[number]=2", which a strict parser refuses.
#include "proxy/link_field.h"

#include <algorithm>
#include <vector>

namespace tessera::proxy {
namespace {

// Resolves "." and ".." in an absolute path (RFC 3986 5.2.4).
std::string remove_dot_segments(std::string_view path) {
  std::vector<std::string_view> segments;
  std::size_t begin = 1;
  bool directory = false;  // the path ends with '/'
  while (begin <= path.size()) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto segment = path.substr(begin, end - begin);
    const bool last = end == path.size();
    directory = last && (segment == "." || segment == "..");
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (segment != ".") {
      segments.push_back(segment);
    }
    begin = end + 1;
  }
  std::string result;
  for (const auto segment : segments) {
    result += '/';
    result += segment;
  }
  if (directory || result.empty()) result += '/';
  return result;
}

// What stands before the path: "", "http://host" or "//host"; npos for a scheme that has no such paths.
std::size_t length_before_path(std::string_view target) {
  std::size_t begin = 0;
  const auto colon = target.find_first_of(":/?#");
  if (colon != std::string_view::npos && target[colon] == ':') {
    if (!target.starts_with("http://") && !target.starts_with("https://")) return std::string_view::npos;
    begin = colon + 1;
  }
  if (!target.substr(begin).starts_with("//")) return begin;
  return std::min(target.find_first_of("/?#", begin + 2), target.size());
}

std::string rewrite_target(std::string_view target, std::string_view from, std::string_view to) {
  const auto path_begin = length_before_path(target);
  if (path_begin == std::string_view::npos) return std::string(target);
  const auto path_end = std::min(target.find_first_of("?#", path_begin), target.size());
  const auto path = target.substr(path_begin, path_end - path_begin);
  if (path.empty()) return std::string(target);  // the resource itself: right at both, or a bare authority
  std::string absolute(path);
  if (path.front() != '/')
    absolute = remove_dot_segments(std::string(from.substr(0, from.rfind('/') + 1)) + absolute);
  std::string rewritten(target.substr(0, path_begin));
  rewritten += absolute == from ? to : absolute;
  rewritten += target.substr(path_end);
  return rewritten;
}

}  // namespace

std::string rewrite_links(std::string_view value, std::string_view from, std::string_view to) {
  std::string rewritten;
  bool quoted = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    rewritten += c;
    if (quoted && c == '\\' && i + 1 < value.size()) {
      rewritten += value[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == '<' && !quoted) {
      const auto close = value.find('>', i);
      if (close == std::string_view::npos) continue;
      rewritten += rewrite_target(value.substr(i + 1, close - i - 1), from, to);
      i = close - 1;  // the '>' comes next
    }
  }
  return rewritten;
}

}  // namespace tessera::proxy
