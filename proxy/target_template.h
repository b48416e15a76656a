// A template of a request target: "{path}?ids={ids}", "/courses/manifest?{query}",
// "{path}?{query}&fields[courses]=updated_at".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/path_pattern.h"

namespace tessera::proxy {

class TargetTemplate {
 public:
  // Unset on unbalanced braces. Names: path, query, ids, and those of the route's path.
  static std::optional<TargetTemplate> parse(std::string_view text);

  struct Values {
    std::string_view path;
    std::string_view query;  // what {query} becomes
    std::string_view ids;    // already encoded
    const PathNames* names = nullptr;
  };
  // A separator left without a neighbour by an empty {query} goes: "/a?{query}&x=1" -> "/a?x=1", "/a?{query}"
  // -> "/a". When the template has no {query} and values.query is not empty, the query is appended with '?'
  // or '&'.
  std::string expand(const Values& values) const;

 private:
  struct Piece {
    std::string text;
    bool is_name = false;
  };
  std::vector<Piece> pieces_;
  bool has_query_ = false;
};

}  // namespace tessera::proxy
