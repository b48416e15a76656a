// Message heads: bytes in, values out. No I/O, no clock. Beast parses; what Beast lets pass and RFC 9112
// forbids is refused here, before anything is routed (request smuggling: RFC 9112 11.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace tessera::http {

// How the end of a message's body is told (RFC 9112 6.3).
struct Framing {
  enum class Kind {
    none,         // no body
    length,       // `length` bytes
    chunked,      // chunked transfer coding
    until_close,  // responses only: what comes before the connection ends
  };
  Kind kind = Kind::none;
  std::uint64_t length = 0;
};

struct ParsedRequest {
  RequestHead head;
  Framing framing;
  bool keep_alive = false;        // the client allows another request on this connection
  bool expects_continue = false;  // the client waits for a 100 before it sends the body
  bool takes_trailers = false;    // TE says so (RFC 9110 10.1.4)
};

struct HeadLimits {
  std::size_t request_line = 8 * 1024;  // bytes, without CRLF; more: 414
  std::size_t fields = 100;             // lines; more: 431
};

// Why a request is answered by the server itself. The connection is closed afterwards.
struct Refusal {
  int status = 400;
  std::string_view detail;
};

struct ParsedResponse {
  ResponseHead head;  // framing and connection fields still in it
  Framing framing;
  bool keep_alive = false;
  // What Content-Length says, also where no body follows (HEAD, 304).
  std::optional<std::uint64_t> declared_length;
};

inline constexpr std::size_t kNoHeadEnd = static_cast<std::size_t>(-1);

// The offset behind the empty line that ends a head, or kNoHeadEnd when it has not come yet. The first
// `scanned` bytes were looked at before.
std::size_t find_head_end(std::string_view bytes, std::size_t scanned);

// `bytes` is one whole head, its empty line included. nullopt: `parsed` holds the request.
std::optional<Refusal> parse_request_head(std::string_view bytes, ParsedRequest& parsed,
                                          HeadLimits limits = {});

// The same for a response, an interim one (1xx) included. False: not an acceptable message.
bool parse_response_head(std::string_view bytes, bool answers_head_request, ParsedResponse& parsed);

}  // namespace tessera::http
