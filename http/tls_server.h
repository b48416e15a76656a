// The server side of TLS: certificates, chosen by the name that a client asks for, and read again when their
// files change.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "http/tls_session.h"

namespace tessera::http {

struct ServerTlsOptions {
  struct Certificate {
    std::string chain_file;  // PEM, the server's own certificate first
    std::string key_file;    // PEM; may be the same file
  };
  enum class ClientAuth {
    none,
    request,  // a certificate that is shown must be good; none need be shown
    require,
  };
  std::vector<Certificate> certificates;  // not empty; the first one is for clients that name no known host
  std::string minimum_version = "1.2";    // or "1.3"
  ClientAuth client_auth = ClientAuth::none;
  std::string client_ca;  // PEM; REQUIRED unless ClientAuth::none
};

// Thread-safe: all event loops share one.
class ServerTls {
 public:
  // Throws std::runtime_error with a sentence that names the file and the cause.
  explicit ServerTls(ServerTlsOptions options);
  ~ServerTls();

  // For one connection, with the newest certificates. Looks now and then whether their files have changed,
  // and reads them again; files that do not belong together change nothing and are named in the log.
  std::unique_ptr<TlsSession> session();

  // Reads all files now. False: they are not usable, the log says why, and the certificates of before go on.
  bool reload();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::http
