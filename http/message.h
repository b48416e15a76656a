// An HTTP message as routes see it: a head that is a value, and a body that is pulled. No connection and
// no Beast type, so that another protocol version can bring messages of the same kind.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "http/error.h"
#include "http/fields.h"
#include "http/task.h"

namespace tessera::http {

struct RequestHead {
  std::string method = "GET";
  std::string target = "/";  // origin-form ("/path?query") or "*"; absolute-form has been reduced to it
  unsigned version = 11;     // 10 or 11
  Fields fields;

  std::string_view path() const;                  // the target up to '?'
  std::optional<std::string_view> query() const;  // what follows '?'
};

struct ResponseHead {
  int status = 200;
  // Without framing: Content-Length, Transfer-Encoding and Connection are the sender's (but `Connection:
  // close` is heeded). Date is added when it is not among them.
  Fields fields;
};

// The standard reason phrase, or "" for an unknown status.
std::string_view reason_phrase(int status);

// A message body, pulled piece by piece. Belongs to one connection and is used on that connection's event
// loop only. Destroying it before its end closes the connection behind it.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The body's whole length in bytes, when the framing tells it before the end.
  virtual std::optional<std::uint64_t> length() const = 0;
  // Reads at least one byte into buffer; 0 means that the body ended and was complete.
  virtual Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) = 0;
};

// Immutable bytes with their owner: sent without a copy.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

// No body. `length` is what Content-Length says all the same (an answer to HEAD, a 304 that tells it).
struct NoBody {
  std::optional<std::uint64_t> length;
};

using Body = std::variant<NoBody, std::string, SharedBytes, std::unique_ptr<BodySource>>;

struct Request {
  RequestHead head;
  BodySource* body = nullptr;  // never null in a handler; length() is 0 when there is none
  std::string peer_address;    // the client's IP address as text, without the port
  bool tls = false;
  std::chrono::steady_clock::time_point arrived;  // when the last byte of the head had been read
};

// How the sending of a response ended.
struct Sent {
  std::uint64_t body_bytes = 0;
  bool complete = false;  // false: the client left, or the body's source failed midway
  std::chrono::steady_clock::duration elapsed{};  // from Request::arrived to the last byte handed over
};

struct Response {
  ResponseHead head;
  Body body;
  std::function<void(const Sent&)> on_sent;  // called once; must not throw
};

// Reads a body to its end. Error::body_too_large as soon as it is known to exceed `limit` bytes.
Task<Result<std::string>> read_all(BodySource& body, std::size_t limit, Deadline deadline);

// A response with a JSON body of RFC 9457: {"type":"about:blank","title":...,"status":...,"detail":...}.
Response problem(int status, std::string_view detail);

}  // namespace tessera::http
