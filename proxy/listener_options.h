// What the settings say of the listeners, as their servers take it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "config/settings.h"
#include "http/peer_counts.h"
#include "http/server.h"
#include "http/tls_server.h"

namespace tessera::proxy {

struct ListenerOptions {
  http::ServerOptions plain;
  http::ServerOptions tls;
  http::ServerOptions admin;
};

// The connections that there are; goes on over a reload. Used on one event loop, its counters by all servers.
class ConnectionCounts {
 public:
  using Counter = std::shared_ptr<std::atomic<std::size_t>>;

  const Counter& plain() const { return plain_; }
  const Counter& tls() const { return tls_; }
  // By client; null for no limit (0). The counts begin anew only with another limit.
  std::shared_ptr<http::PeerCounts> peers(unsigned limit);

 private:
  const Counter plain_ = std::make_shared<std::atomic<std::size_t>>(0);
  const Counter tls_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<http::PeerCounts> peers_;
  unsigned limit_ = 0;
};

// `tls` is null without a tls.address. Raises the limit of open files as far as may be, and says so in the
// log when it allows fewer connections than the settings.
ListenerOptions listener_options(const config::Settings& settings, std::size_t loops,
                                 std::size_t admin_servers, std::shared_ptr<http::ServerTls> tls,
                                 ConnectionCounts& counts);

}  // namespace tessera::proxy
