// Invariants: no segment is empty; segments_ holds what stands before `{*}`, which rest_ stands for.
#include "proxy/path_pattern.h"

#include <algorithm>

namespace tessera::proxy {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A literal segment holds only what a request's path can hold.
bool is_literal(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '{' || c == '}' || c == '?' || c == '#';
  });
}

// "." or ".." as an origin may read it: with encoded dots, or with a path parameter behind (RFC
// 3986 3.3, 6.2.2).
bool is_dot_segment(std::string_view segment) {
  segment = segment.substr(0, segment.find(';'));
  std::size_t dots = 0;
  while (!segment.empty()) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (segment.starts_with("%2e") || segment.starts_with("%2E")) {
      segment.remove_prefix(3);
    } else {
      return false;
    }
    ++dots;
  }
  return dots == 1 || dots == 2;
}

bool has_dot_segment(std::string_view path) {
  for (;;) {
    const auto slash = path.find('/');
    if (is_dot_segment(path.substr(0, slash))) return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::optional<PathPattern> PathPattern::parse(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  PathPattern pattern;
  bool more = !text.empty();
  while (more) {
    if (pattern.rest_) return std::nullopt;  // something behind {*}
    const auto slash = text.find('/');
    std::string_view segment = text.substr(0, slash);
    more = slash != std::string_view::npos;
    if (more) text.remove_prefix(slash + 1);
    if (segment == "{*}") {
      pattern.rest_ = true;
      continue;
    }
    const bool is_name = segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
    if (is_name) segment = segment.substr(1, segment.size() - 2);
    const bool valid =
        is_name ? std::all_of(segment.begin(), segment.end(), is_name_char) : is_literal(segment);
    if (segment.empty() || !valid) return std::nullopt;
    const auto same_name = [&](const Segment& other) {
      return is_name && other.is_name && other.text == segment;
    };
    if (std::any_of(pattern.segments_.begin(), pattern.segments_.end(), same_name)) return std::nullopt;
    pattern.segments_.push_back({std::string(segment), is_name});
  }
  return pattern;
}

bool PathPattern::matches(std::string_view path, PathNames* names) const {
  if (names) names->clear();
  if (match(path, names)) return true;
  if (names) names->clear();
  return false;
}

bool PathPattern::match(std::string_view path, PathNames* names) const {
  if (!path.starts_with('/')) return false;
  path.remove_prefix(1);
  bool more = rest_ || !segments_.empty();
  if (!more) return path.empty();
  for (const auto& segment : segments_) {
    if (!more) return false;
    const auto slash = path.find('/');
    const auto text = path.substr(0, slash);
    more = slash != std::string_view::npos;
    path.remove_prefix(more ? slash + 1 : path.size());
    if (!segment.is_name) {
      if (text != segment.text) return false;
      continue;
    }
    if (text.empty() || is_dot_segment(text)) return false;
    if (names) names->emplace_back(segment.text, text);
  }
  if (!rest_) return !more;
  if (!more || path.empty() || has_dot_segment(path)) return false;
  if (names) names->emplace_back("*", path);
  return true;
}

}  // namespace tessera::proxy
