// The keep-alive connections to one origin, on one event loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "http/client.h"
#include "http/connector.h"
#include "http/tls_client.h"

namespace tessera::http {

class ConnectionPool;

// An exchange's place among those that are out, with its connection once there is one. Its end closes the
// connection, unless it was kept.
class Lease {
 public:
  explicit Lease(std::shared_ptr<ConnectionPool> pool);
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease();

  explicit operator bool() const { return connection_ != nullptr; }
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_.get(); }
  // Closes the connection; the place stays.
  void drop();
  // The exchange is complete and nothing is left to read: the next one may have the connection.
  void keep();

 private:
  friend class ConnectionPool;
  void adopt(std::unique_ptr<Connection> connection, std::string address);

  std::shared_ptr<ConnectionPool> pool_;  // null: moved from
  std::unique_ptr<Connection> connection_;
  std::string address_;
};

// Belongs to one event loop; lives as long as a lease of it.
class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  ConnectionPool(boost::asio::any_io_executor executor, Origin origin, const ClientOptions& options,
                 std::shared_ptr<OriginStatus> status, std::size_t loop);
  ~ConnectionPool();

  // With the most recently used connection that is alive, or with none.
  Lease take();
  // Opens one for a lease that has none.
  Task<boost::system::error_code> connect(Lease& lease, Deadline deadline);
  std::size_t out() const { return out_; }
  void close_idle();

  OriginStatus& status() { return *status_; }
  OriginStatus::Counters& counters() { return counters_; }

 private:
  friend class Lease;
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::string address;
    std::chrono::steady_clock::time_point since;
  };
  void give_back(std::unique_ptr<Connection> connection, std::string address);
  void drop_moved();
  void sweep_later();
  void sweep();
  void count_closed(std::size_t connections);

  const ClientOptions options_;
  const std::shared_ptr<OriginStatus> status_;
  OriginStatus::Counters& counters_;
  Connector connector_;
  std::optional<OriginTls> tls_;  // of an https:// origin
  unsigned generation_ = 0;       // of the addresses that every idle connection's is among
  std::vector<Idle> idle_;        // the most recently used last
  std::size_t out_ = 0;
  boost::asio::steady_timer sweeper_;
  bool sweeps_ = false;  // the timer runs
};

}  // namespace tessera::http
