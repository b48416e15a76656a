// Who may use the admin listener. A web page in somebody's browser reaches loopback ports, so an open port is
// not enough of a proof: neither with a name that resolves to it (Host), nor from another site (Origin,
// Sec-Fetch-Site). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "http/message.h"

namespace tessera::proxy {

class AdminGuard {
 public:
  explicit AdminGuard(const config::AdminSettings& settings);

  // The refusal, or unset when the request may go on. 403: Host is not ours, or it comes from another site;
  // 401: no token, or a wrong one. `needs_token` is false for health checks, which may come with any Host: a
  // probe knows an address of the container, not our name.
  std::optional<http::Response> refuse(const http::RequestHead& head, bool needs_token) const;

 private:
  bool is_own_host(std::string_view host) const;
  bool has_token(const http::Fields& fields) const;

  std::string host_;  // of the settings; "": any, as all addresses of the machine are listened on
  std::string token_;
};

// The time it takes depends on the length of `given` alone.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace tessera::proxy
