// The client side of TLS: to whom we connect, and how he proves who he is.
#pragma once

#include <memory>
#include <string>

#include "http/tls_session.h"

namespace tessera::http {

struct ClientTlsOptions {
  std::string ca_file;           // PEM; empty: the system's authorities
  std::string certificate_file;  // PEM chain that is shown when asked for; empty: none
  std::string key_file;          // empty: in the same file
  std::string server_name;       // in place of the origin's host; empty: that
  bool verify = true;            // false: anybody may answer
};

// Thread-safe: all event loops share one.
class ClientTls {
 public:
  // Throws std::runtime_error with a sentence that names the file and the cause.
  explicit ClientTls(ClientTlsOptions options);
  ~ClientTls();

 private:
  friend class OriginTls;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// What one event loop knows of one origin: its name, and the session to resume with it.
class OriginTls {
 public:
  OriginTls(const ClientTls& tls, const std::string& host);
  ~OriginTls();

  // Shakes hands and verifies chain and name. Error::tls_failed when the peer is not who he should be: the
  // log says why, now and then when it goes on. Otherwise as Connection::start_tls.
  Task<boost::system::error_code> start(Connection& connection, Deadline deadline);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
