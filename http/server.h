// The server side of HTTP/1.1 and HTTP/1.0 (RFC 9112): an acceptor on one event loop and its connections.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>

#include "config/network.h"
#include "http/message.h"

namespace tessera::http {

// Answers one request. The request outlives the coroutine. A handler that throws is answered with 500.
using Handler = std::function<Task<Response>(Request&)>;

class ServerTls;
// Counts the connections of each client address; shared by servers on several event loops.
class PeerCounts;

struct ServerOptions {
  std::size_t head_bytes = 16 * 1024;              // request line and fields; more: 431 (or 414)
  std::size_t request_line_bytes = 8 * 1024;       // without its CRLF; more: 414
  std::size_t max_fields = 100;                    // of one request; more: 431
  std::uint64_t body_bytes = 0;                    // of one request; more: 413; 0: any number
  std::chrono::milliseconds head_timeout{10'000};  // from the first byte of a head (or the accept) to its end
  std::chrono::milliseconds idle_timeout{60'000};  // between two requests on a connection
  std::chrono::milliseconds body_timeout{30'000};  // longest pause within a request's body
  std::chrono::milliseconds write_timeout{60'000};   // longest time without a byte taken by the client
  std::chrono::milliseconds source_timeout{60'000};  // longest wait for the next piece of a streamed response
  // From a request's head to its response's end, give or take 250 ms: 504, or cut when the response has
  // begun; 0: any time.
  std::chrono::milliseconds request_timeout{0};
  std::chrono::milliseconds tunnel_timeout{3'600'000};  // longest time without a byte either way after a 101
  std::size_t max_connections = 10'000;                 // more are not accepted until one ends
  // Counts the connections of all servers that share max_connections, as the kernel does not deal them out
  // evenly; null: this server's only.
  std::shared_ptr<std::atomic<std::size_t>> open_connections;
  std::shared_ptr<PeerCounts> peers;  // a client over its limit is closed on at once; null: no limit
  // Called for each answer that no handler gave: a request that was refused, or whose handler failed.
  std::function<void(const std::string& peer, int status)> on_refused;
  std::vector<config::Network> uncounted;               // peers to which `peers` does not apply
  std::string server_name;                              // Server field; empty: none
  std::shared_ptr<ServerTls> tls;                       // null: plain connections
  std::chrono::milliseconds handshake_timeout{10'000};  // from the accept to the end of the TLS handshake
  bool proxy_protocol = false;                          // each connection begins with a PROXY header
  std::vector<config::Network> proxy_protocol_from;     // who may send one; empty: anybody
};

struct Address {
  std::string host;  // IPv4 or IPv6 address without brackets, or a name
  unsigned short port = 0;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080"; nullopt when the text is none of these.
std::optional<Address> parse_address(std::string_view text);
std::string to_string(const Address& address);  // with brackets around IPv6

class ListeningSocket;

// One listening socket and its connections, all on one event loop. Several servers on several event loops
// may listen on one port (SO_REUSEPORT). Every method is called on the event loop's thread, but for the
// constructor and local_address, which come before the loop runs.
class Server {
 public:
  // Binds and listens. Throws std::runtime_error with a sentence that names the address and the cause.
  // Port 0 takes a free port.
  Server(boost::asio::any_io_executor executor, const Address& address, ServerOptions options,
         Handler handler);
  // On a socket that listens already.
  Server(boost::asio::any_io_executor executor, ListeningSocket socket, ServerOptions options,
         Handler handler);
  ~Server();  // REQUIRED: idle (see stop) or the event loop no longer runs
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Address local_address() const;
  int descriptor() const;  // of the listening socket
  void start();

  // For connections and requests from now on, but for max_connections, which counts at once.
  void set_options(ServerOptions options);
  // From now on every answer says `Connection: close`; connections are still accepted.
  void announce_close();
  // Closes the listening descriptor; connections go on. Those in the socket's queue are lost, unless another
  // descriptor of it is open.
  void stop_accepting();
  // After stop_accepting(): true when no connection was left before the deadline.
  Task<bool> wait_idle(Deadline deadline);

  // Stops accepting, ends idle connections, lets running exchanges finish with `Connection: close`, and
  // after `grace` cuts those that are left. Returns when no connection is left.
  Task<void> stop(std::chrono::milliseconds grace);

  std::size_t connections() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
