// Opens connections to one origin: resolves its name and tries its addresses (RFC 8305).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "http/connection.h"
#include "http/origin.h"

namespace tessera::http {

// The addresses of a name as texts ("127.0.0.1", "::1"), in the order in which to try them.
using Resolver = std::function<Task<Result<std::vector<std::string>>>(std::string name)>;

struct ConnectorOptions {
  std::chrono::milliseconds resolve_interval{30'000};
  Resolver resolver;  // empty: the system's
};

// Belongs to one event loop.
class Connector {
 public:
  Connector(boost::asio::any_io_executor executor, Origin origin, ConnectorOptions options);
  ~Connector();

  struct Opened {
    std::unique_ptr<Connection> connection;
    std::string address;  // as is_current() wants it
  };
  // Error::resolve_failed, connect_failed or timeout. Every address gets its share of the time, and those
  // after the first are tried beside it when it takes long. After a failure the name is resolved again before
  // the next try; as long as resolving fails, the last addresses stay.
  Task<Result<Opened>> connect(Deadline deadline);

  // Begins to resolve the name again, in the background, when its interval is over. To be called now and
  // then.
  void refresh(std::chrono::steady_clock::time_point now);
  // Changes with the addresses.
  unsigned generation() const;
  // Whether a connection's address is still one of the name's.
  bool is_current(std::string_view address) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
