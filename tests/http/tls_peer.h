// The other side of a TLS connection: OpenSSL over a blocking socket of the harness.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

#include "tests/http/harness.h"

namespace tessera::http::testing {

class TlsPeer {
 public:
  struct Options {
    std::string ca;           // verifies the peer (by the chain alone); empty: does not
    std::string certificate;  // chain and key in one file
    std::string server_name;  // what a client asks for
    std::string alpn;         // one protocol
    int version = 0;          // TLS1_2_VERSION: no other; 0: any
    SSL_SESSION* session = nullptr;
    const TlsPeer* like = nullptr;  // takes its context, and with it the key of its tickets
  };

  // Connects, or goes on with an accepted socket, and shakes hands; see error().
  static TlsPeer connect(unsigned short port, const Options& options);
  static TlsPeer connect(unsigned short port) { return connect(port, Options()); }
  static TlsPeer over(Socket socket, const Options& options);    // as a client
  static TlsPeer accept(Socket socket, const Options& options);  // as a server

  const std::string& error() const { return error_; }  // "": the handshake is done
  bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  std::string version() const { return SSL_get_version(ssl_.get()); }
  std::string peer_name() const;    // the common name of the peer's certificate; "": it showed none
  std::string asked_name() const;   // what the client asked this server for
  std::string chosen_alpn() const;  // "": none
  SSL_SESSION* session() const { return SSL_get0_session(ssl_.get()); }

  bool send(std::string_view bytes);
  std::string read_until(std::string_view mark);
  std::string read_exactly(std::size_t count);
  std::string read_to_end();
  // After read_to_end: the peer said that it ends (close_notify).
  bool ended_cleanly() const { return clean_end_; }
  void say_goodbye() { SSL_shutdown(ssl_.get()); }
  Socket& socket() { return socket_; }
  SSL* ssl() { return ssl_.get(); }

 private:
  TlsPeer(Socket socket, const Options& options, bool is_server);
  bool fill();

  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  Socket socket_;
  std::shared_ptr<SSL_CTX> context_;
  std::unique_ptr<SSL, Free> ssl_;
  std::string error_;
  std::string buffer_;
  bool clean_end_ = false;
};

}  // namespace tessera::http::testing
