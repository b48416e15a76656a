#include "json/sax.h"

namespace tessera::json {
namespace {

unsigned hex4(std::string_view raw) {
  unsigned value = 0;
  for (const char c : raw.substr(0, 4)) {
    const unsigned digit =
        c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a') + 10;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::string& text, unsigned code_point) {
  const auto put = [&text](unsigned byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

char unescaped(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

}  // namespace

void append_decoded(std::string& text, std::string_view raw) {
  while (true) {
    const std::size_t backslash = raw.find('\\');
    text.append(raw.substr(0, backslash));
    if (backslash == std::string_view::npos) return;
    const char escape = raw[backslash + 1];
    raw.remove_prefix(backslash + 2);
    if (escape != 'u') {
      text.push_back(unescaped(escape));
      continue;
    }
    unsigned code_point = hex4(raw);
    raw.remove_prefix(4);
    if (code_point >= 0xD800 && code_point <= 0xDBFF) {  // a surrogate pair: "\uD83D\uDE00"
      code_point = 0x10000 + ((code_point - 0xD800) << 10U) + (hex4(raw.substr(2)) - 0xDC00);
      raw.remove_prefix(6);
    }
    append_utf8(text, code_point);
  }
}

std::string decoded(RawString string) {
  if (!string.escaped) return std::string(string.raw);
  std::string text;
  append_decoded(text, string.raw);
  return text;
}

}  // namespace tessera::json
