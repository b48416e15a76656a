// JSON Pointer (RFC 6901): a path into a document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/error.h"

namespace tessera::json {

class Pointer {
 public:
  Pointer() = default;  // "": the whole document
  static Result<Pointer> parse(std::string_view text);

  const std::vector<std::string>& tokens() const { return tokens_; }
  bool is_root() const { return tokens_.empty(); }
  std::string text() const;
  // Appends '/' and the token, with '~' and '/' written as "~0" and "~1" (section 4).
  static void append_token(std::string& text, std::string_view token);
  bool operator==(const Pointer&) const = default;

 private:
  std::vector<std::string> tokens_;
};

}  // namespace tessera::json
