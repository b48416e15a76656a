#include "http/fields.h"

#include <algorithm>
#include <array>

#include "http/octets.h"

namespace tessera::http {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}

constexpr std::array<bool, 256> kTokenTable = make_token_table();

// RFC 9110 5.5, and refuses DEL with the other control bytes.
bool is_field_value(std::string_view text) {
  auto at = find_control(text);
  while (at != std::string_view::npos && text[at] == '\t') at = find_control(text, at + 1);
  return at == std::string_view::npos;
}

// Calls visit(element) for each list element, until it returns false.
template <class Visit>
void for_each_element(std::string_view value, Visit visit) {
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    if (i < value.size()) {
      if (quoted && value[i] == '\\') {
        ++i;
        continue;
      }
      if (value[i] == '"') quoted = !quoted;
      if (quoted || value[i] != ',') continue;
    }
    const auto element = trimmed(value.substr(start, i - start));
    if (!element.empty() && !visit(element)) return;
    start = i + 1;
  }
  if (start < value.size()) {  // a trailing backslash inside quotes jumps over the end
    if (const auto element = trimmed(value.substr(start)); !element.empty()) visit(element);
  }
}

}  // namespace

bool is_token_byte(char c) {
  return kTokenTable[static_cast<unsigned char>(c)];
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_byte);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

bool detail::equal_letters(std::string_view a, std::string_view b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

std::optional<std::string_view> Fields::get(std::string_view name) const {
  for (const auto& line : lines_) {
    if (equal_ignoring_case(line.name, name)) return line.value;
  }
  return std::nullopt;
}

std::string Fields::joined(std::string_view name) const {
  std::string result;
  bool first = true;
  for (const auto& line : lines_) {
    if (!equal_ignoring_case(line.name, name)) continue;
    if (!first) result += ", ";
    first = false;
    result += line.value;
  }
  return result;
}

std::size_t Fields::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      lines_.begin(), lines_.end(), [&](const Field& line) { return equal_ignoring_case(line.name, name); }));
}

bool Fields::has_token(std::string_view name, std::string_view token) const {
  bool found = false;
  for (const auto& line : lines_) {
    if (found) break;
    if (!equal_ignoring_case(line.name, name)) continue;
    for_each_element(line.value, [&](std::string_view element) {
      found = equal_ignoring_case(element, token);
      return !found;
    });
  }
  return found;
}

bool Fields::set(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value)) return false;
  // The arguments may point into the lines that are about to change.
  Field line{std::string(name), std::string(value)};
  const auto same = [&](const Field& other) { return equal_ignoring_case(other.name, line.name); };
  const auto first = std::find_if(lines_.begin(), lines_.end(), same);
  if (first == lines_.end()) {
    lines_.push_back(std::move(line));
    return true;
  }
  lines_.erase(std::remove_if(first + 1, lines_.end(), same), lines_.end());
  *first = std::move(line);
  return true;
}

bool Fields::add(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value)) return false;
  lines_.push_back({std::string(name), std::string(value)});
  return true;
}

std::size_t Fields::remove(std::string_view name) {
  const std::string wanted(name);  // may point into a line
  return std::erase_if(lines_, [&](const Field& line) { return equal_ignoring_case(line.name, wanted); });
}

std::vector<std::string_view> list_elements(std::string_view value) {
  std::vector<std::string_view> elements;
  for_each_element(value, [&](std::string_view element) {
    elements.push_back(element);
    return true;
  });
  return elements;
}

}  // namespace tessera::http
