// A name that is being resolved blocks a thread of Asio's that cannot be interrupted. So resolving is a
// coroutine of its own, which those who connect wait for as long as their deadline allows.
#include "http/connector.h"

#include <optional>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/connection_impl.h"
#include "http/signal.h"

namespace tessera::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

constexpr auto kAddressLife = std::chrono::seconds(5);

}  // namespace

struct Connector::Impl : std::enable_shared_from_this<Connector::Impl> {
  Impl(asio::any_io_executor on, std::string name, unsigned short number)
      : executor(std::move(on)), host(std::move(name)), port(number) {}

  Task<void> resolve(Signal done);
  Task<Result<std::vector<tcp::endpoint>>> addresses(Deadline deadline);
  Task<Result<std::unique_ptr<Connection>>> open(tcp::endpoint endpoint, Deadline deadline);

  const asio::any_io_executor executor;
  const std::string host;
  const unsigned short port;
  std::vector<tcp::endpoint> known;
  steady_clock::time_point known_until{};
  std::optional<Signal> resolving;
};

Task<void> Connector::Impl::resolve(Signal done) {
  const auto self = shared_from_this();
  tcp::resolver resolver(executor);
  error_code error;
  const auto found =
      co_await resolver.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                                      asio::redirect_error(asio::use_awaitable, error));
  known.clear();
  if (!error) {
    for (const auto& entry : found) known.push_back(entry.endpoint());
  }
  known_until = steady_clock::now() + kAddressLife;
  resolving.reset();
  done.set();
}

Task<Result<std::vector<tcp::endpoint>>> Connector::Impl::addresses(Deadline deadline) {
  error_code error;
  const auto literal = asio::ip::make_address(host, error);
  if (!error) co_return std::vector<tcp::endpoint>{tcp::endpoint(literal, port)};
  if (known.empty() || known_until <= steady_clock::now()) {
    if (!resolving) {
      resolving.emplace();
      auto run = [self = shared_from_this(), done = *resolving] { return self->resolve(done); };
      asio::co_spawn(executor, std::move(run), asio::detached);
    }
    if (resolving) {
      const Signal done = *resolving;
      const bool in_time = co_await done.wait(deadline);
      if (!in_time) co_return Error::timeout;
    }
  }
  if (known.empty()) co_return Error::resolve_failed;
  co_return known;
}

Task<Result<std::unique_ptr<Connection>>> Connector::Impl::open(tcp::endpoint endpoint, Deadline deadline) {
  auto impl = std::make_shared<Connection::Impl>(StreamSocket(executor));
  impl->guard(deadline);
  error_code error;
  co_await impl->socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, error));
  error = impl->unguard(error);
  if (error == Error::closed) error = Error::connect_failed;
  if (error) co_return error;
  impl->socket.set_option(tcp::no_delay(true), error);
  co_return std::make_unique<Connection>(std::move(impl));
}

Connector::Connector(asio::any_io_executor executor, std::string host, unsigned short port)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(host), port)) {}

Connector::~Connector() = default;

Task<Result<std::unique_ptr<Connection>>> Connector::connect(Deadline deadline) {
  const auto impl = impl_;
  const auto endpoints = co_await impl->addresses(deadline);
  if (!endpoints) co_return endpoints.error();
  error_code last = Error::connect_failed;
  std::size_t left = endpoints->size();
  for (const auto& endpoint : *endpoints) {
    // One address that swallows packets must not use up the time of the others.
    const auto now = steady_clock::now();
    const auto share = deadline == kNoDeadline ? deadline : now + (deadline - now) / static_cast<int>(left);
    auto opened = co_await impl->open(endpoint, share);
    if (opened) co_return std::move(opened);
    last = opened.error();
    if (last == Error::cancelled) break;
    --left;
  }
  impl->known_until = {};
  co_return last;
}

}  // namespace tessera::http
