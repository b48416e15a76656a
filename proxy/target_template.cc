// Invariants: pieces_ alternates freely between literals, which are never empty, and names.
#include "proxy/target_template.h"

#include <algorithm>

namespace tessera::proxy {
namespace {

// A request line ends a target at a blank, and a fragment is never sent (RFC 9112 3.2).
bool is_target_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '#' || c == '}';
  });
}

bool ends_with_separator(std::string_view text) {
  return text.ends_with('?') || text.ends_with('&');
}

}  // namespace

std::optional<TargetTemplate> TargetTemplate::parse(std::string_view text) {
  TargetTemplate result;
  while (!text.empty()) {
    const auto open = std::min(text.find('{'), text.size());
    const auto literal = text.substr(0, open);
    if (!is_target_text(literal)) return std::nullopt;
    if (!literal.empty()) result.pieces_.push_back({std::string(literal), false});
    text.remove_prefix(open);
    if (text.empty()) break;
    const auto close = text.find('}');
    if (close == std::string_view::npos) return std::nullopt;
    const auto name = text.substr(1, close - 1);
    if (name.empty() || name.find('{') != std::string_view::npos) return std::nullopt;
    result.has_query_ = result.has_query_ || name == "query";
    result.pieces_.push_back({std::string(name), true});
    text.remove_prefix(close + 1);
  }
  if (result.pieces_.empty()) return std::nullopt;
  return result;
}

std::string TargetTemplate::expand(const Values& values) const {
  std::string target;
  bool drop_separator = false;  // of the literal that follows an empty {query}
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& piece = pieces_[i];
    if (!piece.is_name) {
      target += std::string_view(piece.text).substr(drop_separator ? 1 : 0);
      drop_separator = false;
    } else if (piece.text == "query") {
      target += values.query;
      if (!values.query.empty() || !ends_with_separator(target)) continue;
      const bool last = i + 1 == pieces_.size();
      drop_separator = !last && !pieces_[i + 1].is_name && pieces_[i + 1].text.starts_with('&');
      if (last) target.pop_back();
    } else if (piece.text == "path") {
      target += values.path;
    } else if (piece.text == "ids") {
      target += values.ids;
    } else if (values.names) {
      const auto is_piece = [&](const auto& name) { return name.first == piece.text; };
      const auto found = std::find_if(values.names->begin(), values.names->end(), is_piece);
      if (found != values.names->end()) target += found->second;
    }
  }
  if (!has_query_ && !values.query.empty()) {
    if (!ends_with_separator(target)) target += target.find('?') == std::string::npos ? '?' : '&';
    target += values.query;
  }
  return target;
}

}  // namespace tessera::proxy
