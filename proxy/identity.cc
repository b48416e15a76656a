#include "proxy/identity.h"

namespace tessera::proxy {

Identity::Identity(const config::Settings& settings)
    : log_(settings.log), proxies_(settings.listen.trusted_proxies) {}

void Identity::establish(http::Request& request, RequestIds& ids) const {
  request.trusted = proxies_.contains(request.peer_address);
  if (request.trusted) request.client_address = proxies_.client_of(request.head.fields);
  if (log_.request_id) {
    if (request.trusted || log_.accept_request_id) {
      const auto given = request.head.fields.get("X-Request-Id");
      if (given && is_request_id(*given)) request.id = *given;
    }
    if (request.id.empty()) request.id = ids.next();
  }
  continue_trace(request.head.fields, ids, log_.trace);
}

}  // namespace tessera::proxy
