#include "config/toml_nesting.h"

#include <algorithm>
#include <cstddef>

namespace tessera::config {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<std::uint32_t> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      step(c);
      if (depth_ > kDeepest || key_parts_ > kDeepest) return line_;
      ++at_;
    }
    return std::nullopt;
  }

 private:
  void step(char c) {
    if (c == '.') {
      ++key_parts_;
      return;
    }
    if (c == '\n') ++line_;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (std::string_view("\n[]{}=,").find(c) != std::string_view::npos) key_parts_ = 1;
  }

  // A string of one line ends with it, closed or not; one in three quotes goes on.
  void skip_string(char quote) {
    const std::string_view rest = text_.substr(at_);
    const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    const std::size_t quotes = is_long ? 3 : 1;
    at_ += quotes;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n' && !is_long) return;
      if (c == '\n') ++line_;
      if (c == '\\' && quote == '"') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
        continue;
      }
      const auto end = text_.substr(at_, quotes);
      if (end.size() == quotes && std::all_of(end.begin(), end.end(), [&](char e) { return e == quote; })) {
        at_ += quotes;
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  unsigned depth_ = 0;
  unsigned key_parts_ = 1;
};

}  // namespace

std::optional<std::uint32_t> line_that_nests_too_deep(std::string_view text) {
  return Scanner(text).run();
}

}  // namespace tessera::config
