#include "http/welcome.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "http/proxy_protocol.h"
#include "http/tls_server.h"

namespace tessera::http {
namespace {

using boost::system::error_code;
using std::chrono::steady_clock;

bool may_send_header(const ServerOptions& options, const std::string& peer) {
  const auto& from = options.proxy_protocol_from;
  if (from.empty()) return true;
  const auto address = config::parse_ip(peer);
  return address && std::any_of(from.begin(), from.end(),
                                [&](const config::Network& network) { return network.contains(*address); });
}

Task<error_code> read_proxy_header(Connection& connection, std::string& peer_address, Deadline deadline) {
  auto& buffer = connection.buffer();
  ProxyHeader header;
  for (;;) {
    const auto verdict = parse_proxy_header(buffer.bytes(), header);
    if (verdict == ProxyVerdict::complete) break;
    if (verdict == ProxyVerdict::invalid) co_return Error::malformed_message;
    const auto read = co_await connection.fill(kLongestProxyHeader, deadline);
    if (!read) co_return read.error();
    if (*read == 0) co_return Error::closed;
  }
  buffer.consume(header.size);
  if (!header.address.empty()) peer_address = std::move(header.address);
  co_return error_code();
}

}  // namespace

Task<error_code> welcome(Connection& connection, const ServerOptions& options, std::string& peer_address) {
  const auto limit = options.tls ? options.handshake_timeout : options.head_timeout;
  const auto deadline = steady_clock::now() + limit;
  if (options.proxy_protocol) {
    if (!may_send_header(options, peer_address)) {
      spdlog::debug("{}: may send no PROXY header; see listen.proxy_protocol_from", peer_address);
      co_return Error::closed;
    }
    const auto error = co_await read_proxy_header(connection, peer_address, deadline);
    if (error) {
      spdlog::debug("{}: no PROXY header: {}", peer_address, error.message());
      co_return error;
    }
  }
  if (!options.tls) co_return error_code();
  auto session = options.tls->session();
  const auto started = co_await connection.start_tls(std::move(session), deadline);
  if (started.error) spdlog::debug("{}: no TLS connection: {}", peer_address, started.cause);
  co_return started.error;
}

}  // namespace tessera::http
