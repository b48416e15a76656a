// The client side: a pool of keep-alive connections to one origin, on one event loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "http/connector.h"
#include "http/message.h"
#include "http/origin_status.h"

namespace tessera::http {

class ClientTls;

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{1'000};  // TLS included
  std::chrono::milliseconds idle_limit{4'000};       // an idle connection older than this is not reused
  std::size_t max_idle = 64;                         // idle connections kept
  std::size_t head_bytes = 64 * 1024;                // largest response head
  ConnectorOptions names;
  std::shared_ptr<const ClientTls> tls;  // for an https:// origin; null: one with the defaults
};

struct ClientResponse {
  ResponseHead head;  // hop-by-hop and framing fields taken out; a 101 keeps its Upgrade
  // Never null; gives the connection back to the pool at its end. Its length is what Content-Length said,
  // also where no body follows (HEAD, 304); unset: nothing was said.
  std::unique_ptr<BodySource> body;
  std::unique_ptr<Duplex> upgraded;  // with status 101 only, which comes only when the head offered `upgrade`
};

class Client {
 public:
  // Told of each failure that is the origin's, with the number of them in a row.
  using FailureSink = std::function<void(unsigned)>;

  // What happens is counted in `status` as that event loop's, if it is given.
  Client(boost::asio::any_io_executor executor, Origin origin, ClientOptions options,
         std::shared_ptr<OriginStatus> status = nullptr, std::size_t loop = 0, FailureSink on_failure = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const Origin& origin() const;

  // Sends one request and reads the head of its final response. `interim`, when given, gets each 1xx but 100
  // and 101. `body` may be null; when given it is read to its end. Host is set from the head's field, or from
  // the origin when absent. Hop-by-hop and framing fields of the head are ignored (hop_by_hop.h). A pooled
  // connection that turns out dead before a byte of the response came is replaced once, when the method is
  // idempotent and no body was read. `deadline` covers the head; each later read brings its own. While a body
  // is sent, what was left of the time is the longest pause, and counts anew after its end. After an error
  // the connection is closed.
  Task<Result<ClientResponse>> send(RequestHead head, BodySource* body, Deadline deadline,
                                    InterimSink interim = {});

  // Exchanges that have begun and not ended, the reading of the response's body included.
  std::size_t out() const;
  // Closes idle connections; running exchanges end as they do.
  void close_idle();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace tessera::http
