// Puts a response on the wire: chooses its framing, writes its head by hand, sends its body without a copy.
#pragma once

#include <string>

#include "http/body_writer.h"
#include "http/connection.h"
#include "http/date.h"
#include "http/message.h"

namespace tessera::http {

// What of the request decides how its response is framed.
struct ResponseContext {
  unsigned version = 11;
  bool head_request = false;
  bool takes_trailers = false;
  bool keep_alive = false;  // the connection may go on; the writer takes it back when the body needs its end
};

struct WriterOptions {
  std::chrono::milliseconds write_timeout;
  std::chrono::milliseconds source_timeout;
  std::string server_name;
};

// One for each connection; used by one response after the other.
class ResponseWriter {
 public:
  ResponseWriter(Connection& connection, const WriterOptions& options, DateCache& date);

  // Writes the whole response. `context.keep_alive` is false afterwards when the connection must be closed:
  // the body has no other end, or the message could not be completed.
  Task<BodySent> write(Response& response, ResponseContext& context);
  // An interim response (1xx), ahead of the final one. False: the client has left.
  Task<bool> write_interim(const ResponseHead& head);

 private:
  void make_head(const ResponseHead& head, const ResponseContext& context);
  void begin_head(int status);
  Task<BodySent> write_bytes(std::string_view body);

  Connection& connection_;
  const WriterOptions& options_;
  DateCache& date_;
  std::string head_;  // kept for its capacity
};

}  // namespace tessera::http
