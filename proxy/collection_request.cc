#include "proxy/collection_request.h"

#include <algorithm>

#include "http/fields.h"
#include "proxy/forwarding.h"
#include "proxy/query.h"

namespace tessera::proxy {
namespace {

void append_part(std::string& to, std::string_view part) {
  to += std::to_string(part.size());
  to += ':';
  to += part;
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return http::equal_ignoring_case({&a, 1}, {&b, 1}); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// What of Cookie says who is asking, by one cookie's name; unset when nothing does. Origins read cookies in
// different ways (blanks, quotes, capitals, the first or the last of two): only a plain `name=value`, once,
// as RFC 6265 4.2 writes it, is taken alone. Wherever else the name occurs, everything that was sent counts.
std::optional<std::string> cookie_credential(const http::Fields& fields, std::string_view name) {
  if (!fields.has("cookie")) return std::nullopt;
  const std::string all = fields.joined("cookie");
  if (!contains_ignoring_case(all, name)) return std::nullopt;
  std::string_view rest = all;
  std::optional<std::string_view> value;
  bool is_plain = fields.count("cookie") == 1;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(';'), rest.size());
    std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.starts_with(' ')) pair.remove_prefix(1);
    const bool is_it = pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=';
    if (is_it) {
      is_plain = is_plain && !value;
      value = pair.substr(name.size() + 1);
    } else {
      is_plain = is_plain && !contains_ignoring_case(pair.substr(0, pair.find('=')), name);
    }
  }
  return std::string(is_plain && value ? *value : all);
}

std::optional<std::string> credentials_of(const http::Fields& fields, const std::vector<std::string>& names) {
  constexpr std::string_view kCookie = "cookie:";
  std::optional<std::string> all;
  for (const std::string& name : names) {
    std::optional<std::string> value;
    if (name.starts_with(kCookie)) {
      value = cookie_credential(fields, std::string_view(name).substr(kCookie.size()));
    } else if (fields.has(name)) {
      value = fields.joined(name);
    }
    if (!value) continue;
    if (!all) all.emplace();
    append_part(*all, name);
    append_part(*all, *value);
  }
  return all;
}

}  // namespace

CollectionRequest::CollectionRequest(const http::Request& request, const config::RouteSettings& settings,
                                     PathNames path_names)
    : carried(carried_head(request, settings.vary, "")),
      names(std::move(path_names)),
      target(request.head.target),
      accept(request.head.fields.joined("accept")),
      credentials(credentials_of(request.head.fields, settings.credentials)) {
  std::vector<std::string> list_only = settings.list_params;
  list_only.emplace_back("ids");
  parameters = query_without(query(), list_only);
  restricted = query_value(query(), "ids").has_value();
  append_part(caller, target);
  caller += carried_key(request, settings.vary);
  caller_digest = cache::digest_of_parts({settings.name, caller});
}

std::string_view CollectionRequest::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

}  // namespace tessera::proxy
