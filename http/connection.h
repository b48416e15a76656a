// One stream connection (TCP or a unix socket): reading, writing and waiting with deadlines. Everything of
// Asio that an exchange needs is behind this class, so that the files which speak HTTP compile quickly.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
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

  // At least one byte; 0: the peer has closed its side. Ignores the buffer.
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

  // Ends the wait in progress, and every later one, with Error::cancelled.
  void cancel();
  void shutdown_write();
  void close();

 private:
  std::shared_ptr<Impl> impl_;
  Buffer buffer_;
};

}  // namespace tessera::http
