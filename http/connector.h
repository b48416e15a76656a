// Opens connections to one host: resolves its name, tries its addresses in turn.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "http/connection.h"

namespace tessera::http {

// Belongs to one event loop.
class Connector {
 public:
  Connector(boost::asio::any_io_executor executor, std::string host, unsigned short port);
  ~Connector();

  // Error::resolve_failed, connect_failed or timeout. A name is resolved again after 5 s, and after a
  // failure.
  Task<Result<std::unique_ptr<Connection>>> connect(Deadline deadline);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
