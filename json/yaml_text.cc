#include "json/yaml_text.h"

#include <algorithm>
#include <array>

#include "json/escape.h"

namespace tessera::json {
namespace {

constexpr std::size_t kLongestWord = 5;
// https://yaml.org/type/bool.html and null.html, in lower case.
constexpr std::array<std::string_view, 9> kWords = {"y",   "n",    "yes",   "no",  "on",
                                                    "off", "true", "false", "null"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_harmless(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == ' ' || c == '_' || c == '-' || c == '.' || c == '@' ||
         c == '/' || c == '+' || c == '\'';
}

bool is_word(std::string_view text) {
  if (text.size() > kLongestWord) return false;
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c | 0x20);
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

unsigned decode_sequence(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  if (bytes.size() == 1) return first;
  unsigned code_point = first & (0xFFU >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) code_point = (code_point << 6U) | (static_cast<unsigned>(c) & 0x3FU);
  return code_point;
}

bool is_noncharacter(unsigned code_point) {
  return (code_point & 0xFFFEU) == 0xFFFEU || (code_point >= 0xFDD0 && code_point <= 0xFDEF);
}

// What the readers' character sets leave out, and what ends a line for some of them.
bool needs_escape(unsigned code_point) {
  return code_point < 0x20 || code_point == '"' || code_point == '\\' ||
         (code_point >= 0x7F && code_point <= 0xA0) || code_point == 0x2028 || code_point == 0x2029 ||
         code_point == 0xFEFF || is_noncharacter(code_point);
}

// Calls `visit(bytes, code_point)` for each character; stops when it returns false.
template <class Visit>
void each_character(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t length =
        std::max<std::size_t>(1, utf8_sequence(text.data(), text.data() + text.size()));
    const std::string_view bytes = text.substr(0, length);
    if (!visit(bytes, decode_sequence(bytes))) return;
    text.remove_prefix(length);
  }
}

void append_escape(std::string& out, unsigned code_point) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const unsigned digits = code_point > 0xFFFF ? 8 : code_point > 0xFF ? 4 : 2;
  out += '\\';
  out += digits == 8 ? 'U' : digits == 4 ? 'u' : 'x';
  for (unsigned i = digits; i-- > 0;) out += kDigits[(code_point >> (4 * i)) & 0xFU];
}

}  // namespace

bool is_plain_text(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), is_harmless) && !is_word(text);
}

bool needs_own_quotes(std::string_view text) {
  // The bytes that begin such characters: most texts have none of them.
  if (text.find_first_of("\x7F\xE2\xEF\xF0\xF1\xF2\xF3\xF4") == std::string_view::npos) return false;
  bool found = false;
  each_character(text, [&](std::string_view, unsigned code_point) {
    found = code_point == 0x7F || code_point == 0x2028 || code_point == 0x2029 || is_noncharacter(code_point);
    return !found;
  });
  return found;
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "\"";
  each_character(text, [&](std::string_view bytes, unsigned code_point) {
    if (code_point == '"' || code_point == '\\') {
      quoted.append(1, '\\').append(bytes);
    } else if (needs_escape(code_point)) {
      append_escape(quoted, code_point);
    } else {
      quoted.append(bytes);
    }
    return true;
  });
  quoted += '"';
  return quoted;
}

std::string yaml_number(std::string_view token) {
  const std::size_t exponent = token.find_first_of("eE");
  if (exponent == std::string_view::npos) return std::string(token);
  std::string text(token.substr(0, exponent));
  if (text.find('.') == std::string::npos) text += ".0";
  text += token[exponent];
  const std::string_view digits = token.substr(exponent + 1);
  if (digits.front() != '+' && digits.front() != '-') text += '+';
  return text.append(digits);
}

}  // namespace tessera::json
