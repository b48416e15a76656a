// What an escape has to produce, said as simply as possible: the reference of property tests and fuzzing.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "json/escape.h"

namespace tessera::json {

// The inside of a JSON string for text that is UTF-8.
inline std::string reference_escape(Escape mode, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t short_form = std::string_view("\b\t\n\f\r\"\\").find(text[i]);
    char unicode[8];
    std::snprintf(unicode, sizeof unicode, "\\u%04x", static_cast<unsigned>(c));
    if (short_form != std::string_view::npos) {
      out += std::string("\\") + "btnfr\"\\"[short_form];
    } else if (c < 0x20 || (mode == Escape::html && (c == '<' || c == '>' || c == '&'))) {
      out += unicode;
    } else if (mode != Escape::none && (text.substr(i, 3) == "\u2028" || text.substr(i, 3) == "\u2029")) {
      out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// A document whose strings are in place.
inline std::string reference_escape_json(Escape mode, std::string_view document) {
  std::string out;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const bool is_markup = document[i] == '<' || document[i] == '>' || document[i] == '&';
    const std::string_view three = document.substr(i, 3);
    if (mode == Escape::html && is_markup) {
      out += document[i] == '<' ? "\\u003c" : document[i] == '>' ? "\\u003e" : "\\u0026";
    } else if (mode != Escape::none && (three == "\u2028" || three == "\u2029")) {
      out += three == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += document[i];
    }
  }
  return out;
}

}  // namespace tessera::json
