// One stream connection (TCP or a unix socket): reading, writing and waiting with deadlines. Everything of
// Asio that an exchange needs is behind this class, so that the files which speak HTTP compile quickly.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <sys/uio.h>

#include <boost/system/error_code.hpp>

#include "http/buffer.h"
#include "http/error.h"
#include "http/task.h"

namespace tessera::http {

struct WriteResult {
  boost::system::error_code error;
  std::size_t bytes = 0;     // taken by the kernel, also on failure
  bool interrupted = false;  // input came first; not everything was written
};

struct WriteLimits {
  Deadline deadline = kNoDeadline;
  // The longest time without a byte taken by the peer.
  std::chrono::milliseconds stall = std::chrono::milliseconds::max();
  bool stop_on_input = false;  // give up as soon as the peer has said (or closed) something
};

class TlsSession;

// How a TLS handshake ended. On failure `cause` is a sentence for the log.
struct TlsStarted {
  boost::system::error_code error;  // Error::tls_failed, plain_http, closed, timeout or cancelled
  std::string cause;
};

// Belongs to one event loop. Must outlive the calls that wait on it; one call waits at a time.
// Destruction closes it.
class Connection {
 public:
  struct Impl;
  explicit Connection(std::shared_ptr<Impl> impl);
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  Buffer& buffer() { return buffer_; }

  // Speaks TLS from here on; everything below is then about what is inside. The buffer's bytes are TLS's
  // first. After a failure the connection is a plain one again, fit for a last word and its close.
  Task<TlsStarted> start_tls(std::unique_ptr<TlsSession> session, Deadline deadline);

  // At least one byte; 0: the peer has closed its side (with TLS: has said so, any other end is
  // Error::closed). Ignores the buffer.
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline);
  // The same into the buffer, which has room for `least` bytes or more.
  Task<Result<std::size_t>> fill(std::size_t least, Deadline deadline);

  // Writes as much as the kernel takes at once; moves `pieces` on.
  WriteResult write_now(std::span<iovec>& pieces);
  // Writes everything, waiting as long as the limits allow.
  Task<WriteResult> write(std::span<iovec> pieces, WriteLimits limits);

  enum class State { quiet, input, closed };
  // What the peer has done so far; does not wait.
  State probe() const;
  // The socket, for those that ask the kernel about it; -1: closed.
  int handle() const;

  // Ends the wait in progress, and every later one, with Error::cancelled.
  void cancel();
  // The wait in progress only; a read that has its bytes already returns them.
  void interrupt();
  // Tells a TLS peer that all has been said (close_notify), waiting while the kernel takes no more. Without
  // it, an end is one that was cut short. Nothing to do where there is no TLS.
  Task<void> say_goodbye(Deadline deadline);
  void shutdown_write();
  void close();

 private:
  Task<Result<std::size_t>> read_tls(std::span<char> space, Deadline deadline);
  WriteResult write_tls_now(std::span<iovec>& pieces);

  std::shared_ptr<Impl> impl_;
  Buffer buffer_;
};

}  // namespace tessera::http
