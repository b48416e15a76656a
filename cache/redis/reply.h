// One reply of Redis (RESP2), owning its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::cache::redis {

struct Reply {
  enum class Kind : unsigned char { nil, text, status, error, integer, array };
  Kind kind = Kind::nil;
  std::string text;  // of text, status and error
  std::int64_t integer = 0;
  std::vector<Reply> elements;

  bool is_nil() const { return kind == Kind::nil; }
  bool is_text() const { return kind == Kind::text; }
  bool is_error() const { return kind == Kind::error; }
};

}  // namespace tessera::cache::redis
