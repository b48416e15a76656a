// The server's side of one connection: one request after the other, each answered before the next is read.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/connection.h"
#include "http/departure_watch.h"
#include "http/head_parser.h"
#include "http/request_body.h"
#include "http/response_writer.h"
#include "http/server.h"

namespace tessera::http {

// What all connections of one server share; on one event loop.
struct ServerState {
  ServerOptions options;
  WriterOptions writer;
  Handler handler;
  DateCache date;
  std::unique_ptr<DepartureWatch> watch;
  bool closing = false;   // each answer is its connection's last
  bool stopping = false;  // and connections that wait for a request end now
};

// Where a connection of this peer is counted; null: nowhere, as is one of a proxy that brings many clients.
std::shared_ptr<PeerCounts> counts_of(const std::string& peer, const ServerOptions& options);

class ServerConnection {
 public:
  // `cancellation` ends the coroutine that run() is part of.
  ServerConnection(Connection connection, std::string peer_address, ServerState& state,
                   Cancellation cancellation);

  // Ends when the connection is to be closed. `this` outlives it.
  Task<void> run();
  // Ends the connection now when no exchange is in progress; a tunnel is none. A request whose bytes have
  // come is still answered.
  void end_if_idle();

 private:
  // The head's length; 0: the connection is over; kRefused: refusal_ says what to answer.
  Task<std::size_t> await_head();
  std::size_t find_head(std::size_t& scanned);
  bool skip_empty_lines(std::size_t& scanned);
  // True: another request may follow.
  Task<bool> serve(std::size_t head_size);
  Task<BodySent> answer(Request& request, RequestBody& body, ResponseContext& context);
  Task<void> send_interim(const ResponseHead& head);
  Task<BodySent> tunnel(Response& response, ResponseContext& context);
  Task<void> refuse(Refusal refusal, bool head_request, unsigned version);
  Task<void> write_problem(Refusal problem, bool head_request, unsigned version);
  Task<Response> handle(Request& request);
  Task<bool> finish_request_body(RequestBody& body);
  Task<void> linger();
  // What comes before the first request. False: nothing but the connection's end follows.
  Task<bool> open();

  Connection connection_;
  std::string peer_address_;
  ServerState& state_;
  ResponseWriter writer_;
  DepartureWatch::Exchange watched_;
  std::optional<Refusal> refusal_;
  int empty_lines_ = 0;  // skipped before the head that is being read
  bool first_ = true;
  bool response_begun_ = false;  // of the exchange in progress
  bool idle_ = true;             // in a wait that stopping ends
  bool awaits_head_ = false;
  bool looks_again_ = false;  // that wait was ended for a look at what has come
  bool cut_short_ = false;    // an answer was not sent whole: the end of the connection must not look clean
};

}  // namespace tessera::http
