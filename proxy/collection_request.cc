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

// The value of one cookie; unset when the request does not send it (RFC 6265 4.2).
std::optional<std::string_view> cookie_value(std::string_view cookies, std::string_view name) {
  while (!cookies.empty()) {
    const auto end = std::min(cookies.find(';'), cookies.size());
    std::string_view pair = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    while (!pair.empty() && pair.front() == ' ') pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return pair.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::optional<std::string> credentials_of(const http::Fields& fields, const std::vector<std::string>& names) {
  constexpr std::string_view kCookie = "cookie:";
  std::optional<std::string> all;
  for (const std::string& name : names) {
    std::optional<std::string> value;
    if (name.starts_with(kCookie)) {
      // The joined form of Cookie lines uses "; " in HTTP/1.1 senders that split them; ", " would hide a
      // pair's start.
      for (const http::Field& line : fields) {
        if (!http::equal_ignoring_case(line.name, "cookie")) continue;
        if (const auto found = cookie_value(line.value, std::string_view(name).substr(kCookie.size()))) {
          value = std::string(*found);
          break;
        }
      }
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
