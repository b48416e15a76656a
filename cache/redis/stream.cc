#include "cache/redis/stream.h"

#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <sys/socket.h>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace tessera::cache::redis {

namespace asio = boost::asio;
using boost::system::error_code;

struct StreamFactory::Tls {
  asio::ssl::context context{asio::ssl::context::tls_client};
};

namespace {

using Protocol = asio::generic::stream_protocol;
using ReadResult = boost::system::result<std::size_t>;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

class SocketStream : public Stream {
 public:
  SocketStream(const asio::any_io_executor& executor, Address address)
      : address_(std::move(address)), socket_(executor), resolver_(executor) {}

  asio::awaitable<error_code> open() override { return connect(); }
  asio::awaitable<ReadResult> read_some(std::span<char> buffer) override {
    return read_from(socket_, buffer);
  }
  asio::awaitable<error_code> write(std::string_view bytes) override { return write_to(socket_, bytes); }

  void close() override {
    closed_ = true;
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

  bool is_quiet() override {
    if (!socket_.is_open()) return false;
    char byte = 0;
    const auto size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 protected:
  template <class From>
  static asio::awaitable<ReadResult> read_from(From& from, std::span<char> buffer) {
    const auto [error, size] =
        co_await from.async_read_some(asio::buffer(buffer.data(), buffer.size()), kAsTuple);
    if (error) co_return error;
    co_return size;
  }

  template <class To>
  static asio::awaitable<error_code> write_to(To& to, std::string_view bytes) {
    const auto [error, size] =
        co_await asio::async_write(to, asio::buffer(bytes.data(), bytes.size()), kAsTuple);
    co_return error;
  }

  asio::awaitable<error_code> connect() {
    const auto [unresolved, endpoints] = co_await resolve();
    if (unresolved) co_return unresolved;
    error_code error = asio::error::host_not_found;
    for (const auto& endpoint : endpoints) {
      error = co_await connect_to(endpoint);
      if (!error || closed_) break;
    }
    co_return error;
  }

  const Address address_;
  Protocol::socket socket_;
  bool closed_ = false;

 private:
  using Endpoints = std::tuple<error_code, std::vector<Protocol::endpoint>>;

  asio::awaitable<Endpoints> resolve() {
    std::vector<Protocol::endpoint> found;
    if (address_.kind == Address::Kind::unix_socket) {
      found.emplace_back(asio::local::stream_protocol::endpoint(address_.path));
      co_return Endpoints(error_code(), std::move(found));
    }
    error_code not_numeric;
    const auto numeric = asio::ip::make_address(address_.host, not_numeric);
    if (!not_numeric) {
      found.emplace_back(asio::ip::tcp::endpoint(numeric, address_.port));
      co_return Endpoints(error_code(), std::move(found));
    }
    const std::string service = std::to_string(address_.port);
    const auto [error, results] = co_await resolver_.async_resolve(address_.host, service, kAsTuple);
    for (const auto& result : results) found.emplace_back(result.endpoint());
    co_return Endpoints(error, std::move(found));
  }

  asio::awaitable<error_code> connect_to(Protocol::endpoint endpoint) {
    error_code error;
    socket_.close(error);
    // The resolver's thread may come back long after close().
    if (closed_) co_return asio::error::operation_aborted;
    socket_.open(endpoint.protocol(), error);
    if (error) co_return error;
    const auto [failed] = co_await socket_.async_connect(endpoint, kAsTuple);
    if (failed) co_return failed;
    if (address_.kind != Address::Kind::unix_socket) socket_.set_option(asio::ip::tcp::no_delay(true), error);
    co_return error;
  }

  asio::ip::tcp::resolver resolver_;
};

class TlsStream final : public SocketStream {
 public:
  TlsStream(const asio::any_io_executor& executor, Address address, asio::ssl::context& context)
      : SocketStream(executor, std::move(address)), tls_(socket_, context) {}

  asio::awaitable<error_code> open() override {
    error_code error = co_await connect();
    if (error) co_return error;
    tls_.set_verify_callback(asio::ssl::host_name_verification(address_.host), error);
    if (error) co_return error;
    // RFC 6066, section 3: the server name is a host name, never an address.
    error_code not_numeric;
    asio::ip::make_address(address_.host, not_numeric);
    if (not_numeric && SSL_set_tlsext_host_name(tls_.native_handle(), address_.host.c_str()) != 1) {
      co_return asio::error::invalid_argument;
    }
    const auto [failed] = co_await tls_.async_handshake(asio::ssl::stream_base::client, kAsTuple);
    co_return failed;
  }
  asio::awaitable<ReadResult> read_some(std::span<char> buffer) override { return read_from(tls_, buffer); }
  asio::awaitable<error_code> write(std::string_view bytes) override { return write_to(tls_, bytes); }

 private:
  asio::ssl::stream<Protocol::socket&> tls_;
};

}  // namespace

StreamFactory::StreamFactory(Address address, const std::string& ca_file) : address_(std::move(address)) {
  if (address_.kind != Address::Kind::tls) return;
  tls_ = std::make_shared<Tls>();
  auto& context = tls_->context;
  error_code error;
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  context.set_verify_mode(asio::ssl::verify_peer, error);
  if (ca_file.empty()) {
    context.set_default_verify_paths(error);
  } else {
    context.load_verify_file(ca_file, error);
  }
  if (error) {
    throw std::invalid_argument("[redis] ca_file: no certificates could be read from \"" + ca_file + "\" (" +
                                error.message() + "); name a file in PEM format, or leave it out");
  }
}

std::shared_ptr<Stream> StreamFactory::make(const asio::any_io_executor& executor) const {
  if (!tls_) return std::make_shared<SocketStream>(executor, address_);
  return std::make_shared<TlsStream>(executor, address_, tls_->context);
}

}  // namespace tessera::cache::redis
