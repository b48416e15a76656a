#include "json/pointer.h"

namespace tessera::json {

Result<Pointer> Pointer::parse(std::string_view text) {
  Pointer pointer;
  if (text.empty()) return pointer;
  if (text.front() != '/') return Error::bad_pointer;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '/') {
      pointer.tokens_.emplace_back();
    } else if (c != '~') {
      pointer.tokens_.back().push_back(c);
    } else {
      ++i;
      if (i == text.size() || (text[i] != '0' && text[i] != '1')) return Error::bad_pointer;
      pointer.tokens_.back().push_back(text[i] == '0' ? '~' : '/');
    }
  }
  return pointer;
}

std::string Pointer::text() const {
  std::string text;
  for (const std::string& token : tokens_) append_token(text, token);
  return text;
}

void Pointer::append_token(std::string& text, std::string_view token) {
  text.push_back('/');
  for (const char c : token) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text.push_back(c);
    }
  }
}

}  // namespace tessera::json
