// A route's path: "/courses/{rendering}" - `{name}` matches one segment, `{*}` (last) the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::proxy {

// The names and the raw (still percent-encoded) text that they matched; the rest's name is "*".
using PathNames = std::vector<std::pair<std::string, std::string>>;

class PathPattern {
 public:
  // Unset when the text is no pattern (validated with the settings, so this is a bug then): it begins with
  // '/', has no empty segment, a name is made of letters, digits and '_', takes a whole segment and stands
  // once.
  static std::optional<PathPattern> parse(std::string_view text);
  // `path` is a request's path, without its query. Segments are compared byte by byte, without decoding. A
  // name matches no empty segment, and `{*}` no empty rest; neither matches a dot segment (".." or "%2e%2e"),
  // which an origin would resolve to another path than the one that was matched. `names` may be null; it is
  // emptied first, and filled by a match only.
  bool matches(std::string_view path, PathNames* names) const;

 private:
  struct Segment {
    std::string text;
    bool is_name = false;
  };
  bool match(std::string_view path, PathNames* names) const;

  std::vector<Segment> segments_;
  bool rest_ = false;
};

}  // namespace tessera::proxy
