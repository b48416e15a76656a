// A connection that no longer speaks HTTP.
#pragma once

#include "http/connection.h"
#include "http/message.h"

namespace tessera::http {

// What the connection's buffer holds is read first. Deadlines are the connection's: only one of two calls
// that wait at the same time may have one.
class ConnectionDuplex final : public Duplex {
 public:
  explicit ConnectionDuplex(Connection& connection) : connection_(connection) {}  // which outlives it

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override;
  Task<Result<void>> write(std::string_view bytes, Deadline deadline) override;
  void shutdown_write() override { connection_.shutdown_write(); }
  void close() override { connection_.close(); }

 private:
  Connection& connection_;
};

}  // namespace tessera::http
