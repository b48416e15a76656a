// A listening TCP socket on one event loop.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "http/connection.h"
#include "http/listening_socket.h"
#include "http/server.h"

namespace tessera::http {

struct Accepted {
  Connection connection;
  std::string peer_address;
};

class Listener {
 public:
  Listener(boost::asio::any_io_executor executor, ListeningSocket socket);
  ~Listener();

  Address local_address() const;
  // Waits for a connection. Error::cancelled after close(), Error::closed when a client left before it was
  // accepted; any other error is the system's, such as no file descriptors left: call again after a pause.
  Task<Result<Accepted>> accept();
  void close();
  int descriptor() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::http
