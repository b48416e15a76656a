#include "origin/negotiation.h"

#include <algorithm>
#include <string>

namespace tessera::origin {
namespace {

constexpr int kFull = 1'000;  // qualities are counted in thousandths

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The next piece of `text` up to `separator`; `text` keeps what follows.
std::string_view next_piece(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(piece);
}

// "0.5" is 500. A weight that is none counts as full.
int parse_quality(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return kFull;
  int quality = (text[0] - '0') * kFull;
  if (text.size() > 1 && text[1] != '.') return kFull;
  int unit = kFull / 10;
  for (std::size_t i = 2; i < text.size() && unit > 0; ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return kFull;
    quality += (text[i] - '0') * unit;
  }
  return std::min(quality, kFull);
}

struct MediaRange {
  std::string_view type;
  int quality = kFull;
};

MediaRange parse_range(std::string_view element) {
  MediaRange range;
  range.type = next_piece(element, ';');
  while (!element.empty()) {
    std::string_view parameter = next_piece(element, ';');
    const std::string_view name = next_piece(parameter, '=');
    if (http::equal_ignoring_case(name, "q")) range.quality = parse_quality(parameter);
  }
  return range;
}

// How well a range fits JSON: 0 not at all, 3 by name.
int json_precision(std::string_view type) {
  if (http::equal_ignoring_case(type, "application/json")) return 3;
  if (http::equal_ignoring_case(type, "application/*")) return 2;
  return type == "*/*" ? 1 : 0;
}

struct Qualities {
  int manifest = 0;
  int json = 0;
};

Qualities qualities_of(const http::Fields& fields) {
  const std::string accept = fields.joined("Accept");
  Qualities qualities;
  int json_by = 0;  // the most precise range decides (RFC 9110 12.5.1)
  for (const std::string_view element : http::list_elements(accept)) {
    const MediaRange range = parse_range(element);
    if (http::equal_ignoring_case(range.type, kManifest)) {
      qualities.manifest = std::max(qualities.manifest, range.quality);
    }
    const int precision = json_precision(range.type);
    if (precision == 0 || precision < json_by) continue;
    qualities.json = precision > json_by ? range.quality : std::max(qualities.json, range.quality);
    json_by = precision;
  }
  return qualities;
}

}  // namespace

bool prefers_manifest(const http::Fields& fields) {
  const Qualities qualities = qualities_of(fields);
  return qualities.manifest > 0 && qualities.manifest >= qualities.json;
}

bool accepts_json(const http::Fields& fields) {
  return !fields.has("Accept") || qualities_of(fields).json > 0;
}

bool is_json(const http::Fields& fields) {
  const std::string content_type = fields.joined("Content-Type");
  std::string_view text = content_type;
  return http::equal_ignoring_case(next_piece(text, ';'), "application/json");
}

}  // namespace tessera::origin
