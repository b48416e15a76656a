#include "proxy/listener_options.h"

#include <algorithm>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "config/network.h"
#include "proxy/descriptors.h"

namespace tessera::proxy {
namespace {

// A source has a deadline of its own for each piece, and says more about what has failed.
constexpr config::Millis kSourceSlack{1'000};

// Fewer connections than the settings say, rather than one that nobody can be asked for.
std::size_t max_connections(const config::Settings& settings, std::size_t loops) {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t affordable = affordable_connections(settings, loops, limit);
  if (affordable < settings.limits.connections) {
    spdlog::warn(
        "limits.connections = {}: each may need a second file, to the origin, and this process may open {} "
        "files: {} are taken; raise the limit (ulimit -n, LimitNOFILE) or set origin.max_requests",
        settings.limits.connections, limit, affordable);
  }
  return affordable;
}

http::ServerOptions server_options(const config::Settings& settings) {
  const config::LimitsSettings& limits = settings.limits;
  http::ServerOptions options;
  options.head_bytes = limits.head.value;
  options.request_line_bytes = limits.request_line.value;
  options.max_fields = limits.fields;
  options.body_bytes = limits.body.value;
  options.request_timeout = limits.request_timeout;
  options.tunnel_timeout = limits.tunnel_timeout;
  options.head_timeout = limits.head_timeout;
  options.idle_timeout = limits.idle_timeout;
  options.body_timeout = limits.body_timeout;
  options.write_timeout = limits.write_timeout;
  options.source_timeout = settings.origin.progress_timeout + kSourceSlack;
  return options;
}

// Whoever operates this is not held to the limits of clients, nor kept out by their number: the defaults.
http::ServerOptions admin_options(const config::Settings& settings, std::size_t servers) {
  http::ServerOptions options;
  options.body_bytes = settings.limits.manifest.value;  // the largest thing that is posted
  options.max_connections = std::max<std::size_t>(1, kAdminConnections / std::max<std::size_t>(1, servers));
  return options;
}

void add_proxy_protocol(http::ServerOptions& options, const std::string& word,
                        const config::ListenSettings& listen) {
  options.proxy_protocol = word == "required";
  for (const auto& text : listen.proxy_protocol_from) {
    if (const auto network = config::parse_network(text)) options.proxy_protocol_from.push_back(*network);
  }
}

}  // namespace

std::shared_ptr<http::PeerCounts> ConnectionCounts::peers(unsigned limit) {
  if (limit != std::exchange(limit_, limit)) {
    peers_ = limit == 0 ? nullptr : std::make_shared<http::PeerCounts>(limit);
  }
  return peers_;
}

ListenerOptions listener_options(const config::Settings& settings, std::size_t loops,
                                 std::size_t admin_servers, std::shared_ptr<http::ServerTls> tls,
                                 ConnectionCounts& counts) {
  http::ServerOptions common = server_options(settings);
  common.max_connections = max_connections(settings, loops);
  common.peers = counts.peers(settings.limits.connections_per_client);
  for (const auto& text : settings.listen.trusted_proxies) {
    if (const auto network = config::parse_network(text)) common.uncounted.push_back(*network);
  }
  ListenerOptions options;
  options.admin = admin_options(settings, admin_servers);
  options.plain = common;
  options.plain.open_connections = counts.plain();
  add_proxy_protocol(options.plain, settings.listen.proxy_protocol, settings.listen);
  options.tls = std::move(common);
  options.tls.open_connections = counts.tls();
  add_proxy_protocol(options.tls, settings.tls.proxy_protocol, settings.listen);
  options.tls.tls = std::move(tls);
  options.tls.handshake_timeout = settings.tls.handshake_timeout;
  return options;
}

}  // namespace tessera::proxy
