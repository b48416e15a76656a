#include "proxy/collection_request.h"

#include "proxy/credentials.h"
#include "proxy/forwarding.h"
#include "proxy/query.h"

namespace tessera::proxy {
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
  caller = std::to_string(target.size()) + ':' + target;
  caller += carried_key(request, settings.vary);
  caller_digest = cache::digest_of_parts({settings.name, caller});
}

std::string_view CollectionRequest::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

}  // namespace tessera::proxy
