#include "proxy/credentials.h"

#include <algorithm>
#include <string_view>

namespace tessera::proxy {
namespace {

constexpr std::string_view kCookie = "cookie:";

void append_part(std::string& to, std::string_view part) {
  to += std::to_string(part.size());
  to += ':';
  to += part;
}

// Calls visit(piece) for what stands between the separators.
template <class Visit>
void for_each_piece(std::string_view text, char separator, Visit visit) {
  for (;;) {
    const auto end = std::min(text.find(separator), text.size());
    visit(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

// What is left of a name for the most careless reader: letters in lower case, digits, and "_" for all else
// between.
std::string careless(std::string_view name) {
  std::string seen(name);
  for (char& c : seen) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!is_kept) c = '_';
  }
  const auto first = seen.find_first_not_of('_');
  if (first == std::string::npos) return {};
  return seen.substr(first, seen.find_last_not_of('_') - first + 1);
}

// Somebody may take this pair for that cookie.
bool may_be(std::string_view pair, std::string_view name) {
  const auto left = pair.substr(0, pair.find('='));
  // "name[0]" is an element of an array called name.
  return left.find('%') != std::string_view::npos ||
         careless(left.substr(0, left.find('['))) == careless(name);
}

std::optional<std::string> cookie_credential(const http::Fields& fields, std::string_view name) {
  const auto lines = fields.count("cookie");
  if (lines == 0) return std::nullopt;
  const std::string all = fields.joined("cookie");
  std::optional<std::string_view> value;
  std::size_t readings = 0;
  for_each_piece(all, ';', [&](std::string_view pair) {
    for_each_piece(pair, ',', [&](std::string_view piece) { readings += may_be(piece, name) ? 1 : 0; });
    if (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      value = pair.substr(name.size() + 1);
  });
  if (readings == 0) return std::nullopt;
  const bool is_plain = value && readings == 1 && lines == 1;
  return is_plain ? std::string(*value) : all;
}

}  // namespace

std::optional<std::string> credentials_of(const http::Fields& fields, const std::vector<std::string>& names) {
  std::optional<std::string> all;
  for (const std::string& name : names) {
    std::optional<std::string> value;
    if (name.starts_with(kCookie)) {
      value = cookie_credential(fields, std::string_view(name).substr(kCookie.size()));
    } else if (fields.has(name)) {
      value = fields.joined(name);
    }
    if (!value) continue;
    if (!all) all.emplace();
    append_part(*all, name);
    append_part(*all, *value);
  }
  return all;
}

}  // namespace tessera::proxy
