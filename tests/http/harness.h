// What the tests of http/ stand on: an event loop in a thread, and plain blocking sockets as the other side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/client.h"
#include "http/event_loops.h"
#include "http/server.h"

namespace tessera::http::testing {

// Long enough for a slow machine, short enough for a hang to fail the test.
inline constexpr std::chrono::seconds kPatience{20};
Deadline soon();  // kPatience from now

// Runs event loops in the background; the first one's thread is started by the constructor.
class Loops {
 public:
  explicit Loops(std::size_t count = 1);
  ~Loops();

  boost::asio::any_io_executor executor(std::size_t index = 0) const { return loops_->executor(index); }
  // Runs the coroutine on a loop and waits for its end. What it throws is thrown here.
  void run(std::function<Task<void>()> function, std::size_t index = 0);
  // Ends the threads; what was on the loops stays as it is, for the destructor.
  void stop();

 private:
  std::unique_ptr<EventLoops> loops_;
  std::thread thread_;
};

struct RawResponse {
  std::string head;  // with its empty line; empty: the peer closed before
  std::string body;  // without chunk lines
  bool complete = false;
  int status() const;
  std::string field(std::string_view name) const;  // "" when absent
};

// A blocking TCP socket. Every wait ends after kPatience with a failed result.
class Socket {
 public:
  explicit Socket(int handle) : handle_(handle) {}
  Socket(Socket&& other) noexcept;
  ~Socket();
  static Socket connect(unsigned short port);

  // False when the peer has closed.
  bool send(std::string_view bytes);
  std::string read_to_end();                      // until the peer closes
  std::string read_until(std::string_view mark);  // the mark included; less when the peer closes
  std::string read_exactly(std::size_t count);
  // One response; `to_head`: the request was a HEAD.
  RawResponse read_response(bool to_head = false);
  bool at_end();  // waits: true when the peer closes without another byte
  void finish_sending();
  void reset();  // closes with a RST
  void close();
  int handle() const { return handle_; }

 private:
  bool fill();
  int handle_;
  std::string buffer_;
};

// A listening socket, on a free port if not on that one.
class Listening {
 public:
  explicit Listening(const char* address = "127.0.0.1", unsigned short port = 0);
  ~Listening();
  unsigned short port() const { return port_; }
  Socket accept();

 private:
  int handle_;
  unsigned short port_;
};

// A server on its own loop.
class TestServer {
 public:
  explicit TestServer(Handler handler, ServerOptions options = {});
  ~TestServer();

  unsigned short port() const { return port_; }
  Socket connect() const { return Socket::connect(port_); }
  // Sends the bytes on a new connection and reads until the server closes.
  std::string exchange(std::string_view request) const;
  Loops& loops() { return loops_; }
  Server& server() { return *server_; }

 private:
  Loops loops_;
  std::unique_ptr<Server> server_;
  unsigned short port_ = 0;
};

// A body given as pieces, one for each read; then its end, or a failure.
class PieceSource : public BodySource {
 public:
  explicit PieceSource(std::vector<std::string> pieces, std::optional<std::uint64_t> length = std::nullopt,
                       boost::system::error_code failure = {});
  std::optional<std::uint64_t> length() const override { return length_; }
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline) override;

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
  std::optional<std::uint64_t> length_;
  boost::system::error_code failure_;
};

// A handler that answers 200 with this text.
Handler answer(std::string text);

}  // namespace tessera::http::testing
