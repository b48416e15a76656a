// Sends a body that is pulled from a source, plain or in chunks (RFC 9112 7.1).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "http/connection.h"
#include "http/message.h"

namespace tessera::http {

struct BodySent {
  enum class End {
    complete,
    source_failed,  // `error` is the source's, or it gave another number of bytes than it had announced
    peer_failed,    // `error` is the connection's
    interrupted,    // the peer said something first (WriteLimits::stop_on_input)
  };
  End end = End::complete;
  boost::system::error_code error;
  std::uint64_t bytes = 0;  // of the body, taken by the kernel
  bool head_sent = false;   // false: the source failed before anything was written
};

struct BodyPlan {
  bool chunked = false;
  bool trailers = false;    // the source's trailer fields go out behind the last chunk
  bool head_first = false;  // do not wait for the body's first piece before the head goes out
  WriteLimits limits;
  // What the peer has said (limits.stop_on_input) is to be read; true: go on.
  std::function<Task<bool>()> on_input;
  Deadline source_deadline = kNoDeadline;
  std::chrono::milliseconds source_pause = std::chrono::milliseconds::max();  // longest wait for one piece
};

// Writes `head`, then the source to its end. An announced length is kept to the byte or reported as failed.
Task<BodySent> send_source(Connection& connection, std::string_view head, BodySource& source, BodyPlan plan);

}  // namespace tessera::http
