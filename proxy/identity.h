// Who is asking, and what the request is called: the first thing that happens to it.
#pragma once

#include "config/settings.h"
#include "http/message.h"
#include "proxy/request_id.h"
#include "proxy/trusted_proxies.h"

namespace tessera::proxy {

// Immutable; shared by all event loops.
class Identity {
 public:
  explicit Identity(const config::Settings& settings);

  // Sets trusted, client_address and id of the request, and its traceparent.
  void establish(http::Request& request, RequestIds& ids) const;

 private:
  const config::LogSettings log_;
  const TrustedProxies proxies_;
};

}  // namespace tessera::proxy
