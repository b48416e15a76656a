// A small blocking HTTP/1 client over plain sockets: it shares no code with the programs under test.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::test {

using FieldLines = std::vector<std::pair<std::string, std::string>>;

// The first line of that name, compared without case; nullopt when there is none.
std::optional<std::string> find_field(const FieldLines& fields, std::string_view name);

// "http://127.0.0.1:8080/courses" split; the target is "/" when the URL names none. Only http and IPv4 or
// names.
struct Url {
  std::string host;
  unsigned short port = 80;
  std::string target = "/";

  std::string authority() const { return host + ":" + std::to_string(port); }
};
Url parse_url(std::string_view url);  // throws std::invalid_argument

struct Call {
  std::string method = "GET";
  std::string target = "/";
  FieldLines fields;  // Host and Content-Length are added when they are not among them
  std::string body;
  std::string version = "HTTP/1.1";
};

// What came back. `error` is empty when the response was complete, else a sentence; status is 0 when not even
// a head came. The body is decoded from chunks, but not from a Content-Encoding.
struct Reply {
  int status = 0;
  std::string version;
  FieldLines fields;
  std::string body;
  std::string error;
  std::size_t interim = 0;                        // 1xx responses that came before
  std::chrono::steady_clock::time_point head_at;  // when the head was complete
  std::chrono::steady_clock::time_point done_at;  // when the last byte was there

  bool ok() const { return error.empty() && status == 200; }
  bool has(std::string_view name) const { return find_field(fields, name).has_value(); }
  std::string field(std::string_view name) const;               // the first line; "" when there is none
  std::vector<std::string> lines(std::string_view name) const;  // all lines of that name
};

// One connection, used by one thread at a time. Nothing throws but the constructor.
class Connection {
 public:
  static constexpr std::chrono::milliseconds kLimit{60'000};

  // Connects; throws std::runtime_error. `limit` is how long any later read or write may wait.
  explicit Connection(std::string_view url, std::chrono::milliseconds limit = kLimit);
  ~Connection();
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;

  Reply send(const Call& call);  // writes the request and reads its response
  Reply get(std::string_view target, const FieldLines& fields = {});

  // The steps, for pipelining, pauses and bytes that are no HTTP.
  bool send_raw(std::string_view bytes);                  // false: the peer is gone
  Reply read_reply(std::string_view method = "GET");      // `method`: what the response answers
  std::string read_some(std::size_t limit = 65'536);      // "" at the end, or when nothing came in time
  std::string read_to_end();                              // everything until the peer closes
  bool closed_by_peer(std::chrono::milliseconds within);  // waits for the end; bytes that come are kept
  void finish_sending();                                  // half-closes: the peer reads an end
  void reset();                                           // closes with a TCP reset
  void set_receive_buffer(int bytes);                     // makes this a slow reader

 private:
  bool fill();
  bool read_body(Reply& reply, std::string_view method);
  bool read_chunks(Reply& reply);
  bool read_bytes(std::string& to, std::size_t size);
  std::optional<std::string> read_line();

  int socket_ = -1;
  std::string host_;
  std::string buffer_;  // received and not yet consumed from position_ on
  std::size_t position_ = 0;
  bool ended_ = false;  // the peer has closed
};

// The text of a request as send() writes it.
std::string to_text(const Call& call, std::string_view host);

// One request on a connection of its own (Connection: close). An error to connect is an error of the Reply.
Reply request(std::string_view method, std::string_view url, const FieldLines& fields = {},
              std::string body = {});
Reply get(std::string_view url, const FieldLines& fields = {});

}  // namespace tessera::test
