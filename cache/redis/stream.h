// A byte stream to Redis over TCP, TLS or a unix socket. The only file that knows Asio's sockets.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include "cache/redis/address.h"

namespace tessera::cache::redis {

// Belongs to one event loop. Errors are returned; only the cancellation of the calling coroutine throws, as
// the next co_await after it does.
class Stream {
 public:
  virtual ~Stream() = default;

  // Once. Tries the addresses of the host's name in turn, then greets (TLS: chain and host name are
  // verified).
  virtual boost::asio::awaitable<boost::system::error_code> open() = 0;
  // At least one byte. `buffer` outlives the call.
  virtual boost::asio::awaitable<boost::system::result<std::size_t>> read_some(std::span<char> buffer) = 0;
  // All of `bytes`, which outlive the call.
  virtual boost::asio::awaitable<boost::system::error_code> write(std::string_view bytes) = 0;
  // Whatever waits ends with operation_aborted. May be called twice.
  virtual void close() = 0;
  // For a connection that waits for no reply: still open, and nothing has come.
  virtual bool is_quiet() = 0;
};

// Makes streams to one address. Movable; its streams do not refer to it.
class StreamFactory {
 public:
  // `ca_file`: for TLS, in place of the system's certificates. Throws std::invalid_argument with a sentence
  // when it cannot be read.
  StreamFactory(Address address, const std::string& ca_file);

  std::shared_ptr<Stream> make(const boost::asio::any_io_executor& executor) const;

 private:
  struct Tls;
  Address address_;
  std::shared_ptr<Tls> tls_;
};

}  // namespace tessera::cache::redis
