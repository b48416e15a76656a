// The server's side of one connection: one request after the other, each answered before the next is read.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/connection.h"
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
  bool closing = false;   // each answer is its connection's last
  bool stopping = false;  // and connections that wait for a request end now
};

class ServerConnection {
 public:
  ServerConnection(Connection connection, std::string peer_address, ServerState& state);

  // Ends when the connection is to be closed. `this` outlives it.
  Task<void> run();
  // Ends the connection now when no exchange is in progress.
  void end_if_idle();

 private:
  // The head's length; 0: the connection is over; kRefused: refusal_ says what to answer.
  Task<std::size_t> await_head();
  std::size_t find_head(std::size_t& scanned);
  bool skip_empty_lines(std::size_t& scanned);
  // True: another request may follow.
  Task<bool> serve(std::size_t head_size);
  Task<BodySent> answer(Request& request, RequestBody& body, ResponseContext& context);
  Task<void> refuse(Refusal refusal, bool head_request, unsigned version);
  Task<Response> handle(Request& request);
  Task<bool> finish_request_body(RequestBody& body);
  Task<void> linger();

  Connection connection_;
  const std::string peer_address_;
  ServerState& state_;
  ResponseWriter writer_;
  std::optional<Refusal> refusal_;
  int empty_lines_ = 0;  // skipped before the head that is being read
  bool first_ = true;
  bool idle_ = true;
};

}  // namespace tessera::http
