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
  // The protocols that the sender offers to switch to (Upgrade, RFC 9110 7.8), as it lists them; empty: none.
  // Upgrade and Connection are no end-to-end fields: whoever sends this head on writes them from here.
  std::string upgrade;

  std::string_view path() const;                  // the target up to '?'
  std::optional<std::string_view> query() const;  // what follows '?'
};

struct ResponseHead {
  int status = 200;
  // Without framing: Content-Length, Transfer-Encoding and Connection are the sender's (but `Connection:
  // close` is heeded). Date is added when it is not among them.
  Fields fields;
  unsigned version = 11;  // 10 or 11, of a response that was received; what is sent has its connection's
};

// The standard reason phrase, or "" for an unknown status.
std::string_view reason_phrase(int status);

// A 101 says which protocol it has chosen, a 426 which ones it wants (RFC 9110 15.2.2, 15.5.22): their
// Upgrade is for whoever asked, and not for the next connection only.
bool is_about_upgrade(int status);

// A message body, pulled piece by piece. Belongs to one connection and is used on that connection's event
// loop only. Destroying it before its end closes the connection behind it.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The body's whole length in bytes, when the framing tells it before the end.
  virtual std::optional<std::uint64_t> length() const = 0;
  // Reads at least one byte into buffer; 0 means that the body ended and was complete.
  virtual Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) = 0;
  // After the complete end: the trailer fields (RFC 9110 6.5) that may be merged or relayed; null: none came.
  virtual const Fields* trailers() const { return nullptr; }
};

// Both directions of a connection that no longer speaks HTTP (101). Reading and writing may wait at the same
// time, each once. Destruction closes it.
class Duplex {
 public:
  virtual ~Duplex() = default;
  // As BodySource::read_some; 0: the peer has closed its side.
  virtual Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) = 0;
  // Writes everything.
  virtual Task<Result<void>> write(std::string_view bytes, Deadline deadline) = 0;
  // Says that no more will be written.
  virtual void shutdown_write() = 0;
  virtual void close() = 0;
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

using InterimSink = std::function<Task<void>(const ResponseHead&)>;

struct Request {
  RequestHead head;
  BodySource* body = nullptr;  // never null in a handler; length() is 0 when there is none
  std::string peer_address;    // the client's IP address as text, without the port
  bool tls = false;
  std::string id;  // names this request in logs, in problems and to the origin; empty until it has one
  std::chrono::steady_clock::time_point arrived;  // when the last byte of the head had been read
  // Sends an interim response (102, 103) ahead of the final one; empty when the client speaks HTTP/1.0. Does
  // nothing for a status that is not to be relayed, and nothing once the final head has been written.
  InterimSink interim;
  bool trusted = false;               // the peer is a proxy of ours: what it says of the client is believed
  std::string client_address;         // as such a peer tells it; empty: peer_address is the client's
  std::shared_ptr<const void> owner;  // what must live until the response has been sent

  const std::string& client() const { return client_address.empty() ? peer_address : client_address; }
};

// What a handler notes of its response for its own use; nothing in http looks at it.
struct Note {
  std::uint8_t outcome = 0;
  std::uint8_t reason = 0;
  bool own_problem = false;                           // set by problem()
  std::chrono::steady_clock::duration origin_time{};  // until the origin's head had come; zero: not known
};

// The status under which an exchange is filed whose client left before it was answered, as nginx files it.
inline constexpr int kClientLeft = 499;

// How the sending of a response ended.
struct Sent {
  int status = 0;  // the one that was sent, whatever the handler's was; kClientLeft
  std::uint64_t body_bytes = 0;
  bool complete = false;  // false: the client left, or the body's source failed midway
  std::chrono::steady_clock::duration elapsed{};  // from Request::arrived to the last byte handed over
};

struct Response {
  ResponseHead head;
  Body body;
  std::unique_ptr<Duplex> upgraded;  // with status 101 only: what the client's connection is joined to
  std::function<void(const Sent&)> on_sent;  // called once; must not throw
  Note note;
};

// Reads a body to its end. Error::body_too_large as soon as it is known to exceed `limit` bytes.
Task<Result<std::string>> read_all(BodySource& body, std::size_t limit, Deadline deadline);

// A response with a JSON body of RFC 9457: {"type":"about:blank","title":...,"status":...,"detail":...}.
Response problem(int status, std::string_view detail);
// Adds `"request_id"` to what problem() made; changes no other response. `id` needs no escaping.
void name_problem(Response& response, std::string_view id);

}  // namespace tessera::http
