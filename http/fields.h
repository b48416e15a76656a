// Header fields: an ordered list of (name, value) lines; names compare without case (RFC 9110 5).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::http {

struct Field {
  std::string name;
  std::string value;
};

namespace detail {
bool equal_letters(std::string_view a, std::string_view b);  // REQUIRES: of one size
}

// True when a and b are equal but for the case of ASCII letters. Most pairs of names that are compared differ
// in size.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && detail::equal_letters(a, b);
}
std::string lower_case(std::string_view text);  // of ASCII letters

// What names of fields, methods and parameters are made of (RFC 9110 5.6.2).
bool is_token_byte(char c);
bool is_token(std::string_view text);  // one such byte or more

// Without the blanks and tabs at both ends (OWS, RFC 9110 5.6.3).
std::string_view trimmed(std::string_view text);

class Fields {
 public:
  // The first line of that name.
  std::optional<std::string_view> get(std::string_view name) const;
  // All lines of that name joined with ", " (RFC 9110 5.3); empty when there is none.
  std::string joined(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) != 0; }
  // True when the comma-separated list under that name holds the token, compared without case.
  bool has_token(std::string_view name, std::string_view token) const;

  // The only ways to put a field in. A name that is no token, or a value with a control byte other than
  // HTAB, is refused: nothing changes and false is returned (RFC 9110 5.5; stops message splitting).
  bool set(std::string_view name, std::string_view value);  // replaces all lines of that name
  bool add(std::string_view name, std::string_view value);  // one more line
  std::size_t remove(std::string_view name);                // returns how many lines went
  void append(const Fields& other) {                        // all its lines, which are well-formed
    lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.end());
  }
  // Removes the lines for whose name predicate(std::string_view) is true, in one pass.
  template <class Predicate>
  std::size_t remove_if(Predicate predicate) {
    return std::erase_if(lines_, [&](const Field& line) { return predicate(std::string_view(line.name)); });
  }

  std::size_t size() const { return lines_.size(); }
  bool empty() const { return lines_.empty(); }
  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }
  void reserve(std::size_t lines) { lines_.reserve(lines); }

 private:
  std::vector<Field> lines_;
};

// The elements of a comma-separated list, white space trimmed, empty ones left out, quotes respected.
std::vector<std::string_view> list_elements(std::string_view value);

}  // namespace tessera::http
