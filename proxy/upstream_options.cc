#include "proxy/upstream_options.h"

#include <stdexcept>

#include "proxy/tls_setup.h"

namespace tessera::proxy {

std::shared_ptr<http::OriginGroup> origin_group(const config::OriginSettings& settings, std::size_t loops) {
  std::vector<http::Origin> origins;
  for (const auto& url : settings.url) {
    auto origin = http::parse_origin(url);
    if (!origin) throw std::runtime_error(origin.error());
    origins.push_back(std::move(*origin));
  }
  return std::make_shared<http::OriginGroup>(std::move(origins), loops);
}

http::UpstreamOptions upstream_options(const config::OriginSettings& settings) {
  http::UpstreamOptions options;
  options.client.connect_timeout = settings.connect_timeout;
  options.client.idle_limit = settings.idle_limit;
  options.client.max_idle = settings.max_idle;
  options.client.tls = make_client_tls(settings);
  options.client.names.resolve_interval = settings.resolve_interval;
  options.balance =
      settings.balance == "least-connections" ? http::Balance::least_connections : http::Balance::round_robin;
  options.max_requests = settings.max_requests;
  options.eject_after = settings.eject_after;
  options.eject_time = settings.eject_time;
  options.check.path = settings.health_path;
  options.check.interval = settings.health_interval;
  options.check.timeout = settings.health_timeout;
  options.check.healthy_after = settings.healthy_after;
  options.check.unhealthy_after = settings.unhealthy_after;
  return options;
}

}  // namespace tessera::proxy
