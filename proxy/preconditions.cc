// Malformed entity tags match nothing: If-None-Match then answers with the whole representation, If-Match
// with 412, the safe way for each.
#include "proxy/preconditions.h"

#include <string>

namespace tessera::proxy {
namespace {

enum class Comparison { strong, weak };

bool is_opaque_tag(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"';
}

// Looks for `etag` in a list of entity tags. A backslash escapes nothing within a tag (RFC 9110 8.8.3), so
// the list is not read by the rules of quoted strings.
bool list_has(std::string_view list, std::string_view etag, Comparison comparison) {
  while (!list.empty()) {
    const auto quote = list.find('"');
    const auto comma = list.find(',');
    if (comma < quote) {  // an element without a tag
      list.remove_prefix(comma + 1);
      continue;
    }
    if (quote == std::string_view::npos) return false;
    const auto close = list.find('"', quote + 1);
    if (close == std::string_view::npos) return false;
    const auto before = http::trimmed(list.substr(0, quote));
    const auto tag = list.substr(quote, close + 1 - quote);
    list.remove_prefix(close + 1);
    const auto end = list.find(',');
    const bool well_formed = http::trimmed(list.substr(0, end)).empty() && (before.empty() || before == "W/");
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    if (well_formed && tag == etag && (comparison == Comparison::weak || before.empty())) return true;
  }
  return false;
}

bool matches(const http::Fields& request, std::string_view name, std::string_view etag,
             Comparison comparison) {
  const std::string list = request.joined(name);
  return http::trimmed(list) == "*" || (is_opaque_tag(etag) && list_has(list, etag, comparison));
}

}  // namespace

Precondition evaluate(const http::Fields& request, std::string_view etag) {
  // The order of RFC 9110 13.2.2.
  if (request.has("If-Match") && !matches(request, "If-Match", etag, Comparison::strong)) {
    return Precondition::precondition_failed;
  }
  if (request.has("If-None-Match") && matches(request, "If-None-Match", etag, Comparison::weak)) {
    return Precondition::not_modified;
  }
  return Precondition::proceed;
}

}  // namespace tessera::proxy
