#include "http/tunnel.h"

#include <memory>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include "http/task_group.h"

namespace tessera::http {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kBuffer = 16 * 1024;

struct Tunnel {
  Duplex& client;
  Duplex& origin;
  steady_clock::time_point moved = steady_clock::now();
  bool failed = false;

  void fail() {
    failed = true;
    client.close();
    origin.close();
  }
};

// Neither side's calls have deadlines: the tunnel's is about both.
Task<void> pump(Tunnel& tunnel, Duplex& from, Duplex& to, std::uint64_t& bytes) {
  const std::unique_ptr<char[]> buffer(new char[kBuffer]);
  for (;;) {
    const std::span<char> space(buffer.get(), kBuffer);
    const auto read = co_await from.read_some(space, kNoDeadline);
    if (!read) co_return tunnel.fail();
    tunnel.moved = steady_clock::now();
    if (*read == 0) co_return to.shutdown_write();
    const std::string_view piece(buffer.get(), *read);
    const auto written = co_await to.write(piece, kNoDeadline);
    if (!written) co_return tunnel.fail();
    tunnel.moved = steady_clock::now();
    bytes += *read;
  }
}

Task<void> await_silence(const Tunnel& tunnel, std::chrono::milliseconds idle) {
  for (;;) {
    const auto until = tunnel.moved + idle;
    if (until <= steady_clock::now()) co_return;
    co_await sleep_until(until);
    const auto state = co_await boost::asio::this_coro::cancellation_state;
    if (state.cancelled() != boost::asio::cancellation_type::none) co_return;
  }
}

}  // namespace

Task<Tunnelled> join(Duplex& client, Duplex& origin, std::chrono::milliseconds idle) {
  using boost::asio::experimental::awaitable_operators::operator&&;
  using boost::asio::experimental::awaitable_operators::operator||;
  Tunnelled result;
  Tunnel tunnel{client, origin};
  auto up = pump(tunnel, client, origin, result.to_origin);
  auto down = pump(tunnel, origin, client, result.to_client);
  auto both = std::move(up) && std::move(down);
  auto silence = await_silence(tunnel, idle);
  const auto first = co_await (std::move(both) || std::move(silence));
  result.complete = first.index() == 0 && !tunnel.failed;
  co_return result;
}

}  // namespace tessera::http
