// Every connection is a coroutine of the task group; the set holds those that run, so that stop() can end
// the idle ones. All of it is on one event loop.
#include "http/server.h"

#include <optional>
#include <unordered_set>
#include <vector>

#include <spdlog/spdlog.h>

#include "http/listener.h"
#include "http/peer_counts.h"
#include "http/server_connection.h"
#include "http/signal.h"
#include "http/task_group.h"

namespace tessera::http {
namespace {

// Out of file descriptors or memory: another try is made after this.
constexpr auto kShortagePause = std::chrono::milliseconds(100);

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
  Impl(const boost::asio::any_io_executor& executor, ListeningSocket socket, ServerOptions options,
       Handler handler)
      : listener(executor, std::move(socket)), tasks(executor) {
    state.handler = std::move(handler);
    state.watch = std::make_unique<DepartureWatch>(executor, options.request_timeout);
    set_options(std::move(options));
  }

  void set_options(ServerOptions options) {
    state.writer = {options.write_timeout, options.source_timeout, options.server_name};
    state.watch->set_limit(options.request_timeout);
    state.options = std::move(options);
  }

  Task<void> accept_loop();
  Task<void> serve(Accepted accepted, Cancellation cancellation);
  Task<void> wait_for_room();
  bool is_full() const {
    const auto& shared = state.options.open_connections;
    return (shared ? shared->load() : live.size()) >= state.options.max_connections;
  }

  ServerState state;
  Listener listener;
  TaskGroup tasks;
  std::unordered_set<ServerConnection*> live;
  std::optional<Signal> room;  // the accept loop waits for a connection to end
};

Task<void> Server::Impl::accept_loop() {
  bool warned = false;
  while (!state.stopping) {
    co_await wait_for_room();
    auto accepted = co_await listener.accept();
    if (accepted) {
      warned = false;
      auto shared = std::make_shared<Accepted>(std::move(*accepted));
      const Cancellation cancellation;
      auto serve_it = [self = shared_from_this(), shared, cancellation] {
        return self->serve(std::move(*shared), cancellation);
      };
      tasks.spawn(std::move(serve_it), cancellation);
      continue;
    }
    if (accepted.error() == Error::cancelled) break;
    if (accepted.error() == Error::closed) continue;
    if (!warned) spdlog::warn("accepting connections pauses: {}", accepted.error().message());
    warned = true;
    co_await sleep_until(std::chrono::steady_clock::now() + kShortagePause);
  }
}

Task<void> Server::Impl::wait_for_room() {
  while (is_full() && !state.stopping) {
    room.emplace();
    const Signal signal = *room;
    // Where connections of another event loop count, one may end there.
    const bool is_shared = state.options.open_connections != nullptr;
    const auto now = std::chrono::steady_clock::now();
    co_await signal.wait(is_shared ? now + kShortagePause : kNoDeadline);
  }
}

Task<void> Server::Impl::serve(Accepted accepted, Cancellation cancellation) {
  // Behind the PROXY protocol the peer is a balancer: the client is counted once its header has come.
  const auto& options = state.options;
  auto counts = options.proxy_protocol ? nullptr : counts_of(accepted.peer_address, options);
  const PeerEntry peer(std::move(counts), accepted.peer_address);
  if (!peer.entered()) co_return;
  ServerConnection connection(std::move(accepted.connection), std::move(accepted.peer_address), state,
                              std::move(cancellation));
  struct Membership {
    Impl& server;
    ServerConnection* connection;
    std::shared_ptr<std::atomic<std::size_t>> shared;
    ~Membership() {
      if (shared) shared->fetch_sub(1);
      server.live.erase(connection);
      if (server.room) server.room->set();
    }
  };
  live.insert(&connection);
  const Membership membership{*this, &connection, state.options.open_connections};
  if (membership.shared) membership.shared->fetch_add(1);
  co_await connection.run();
}

Server::Server(boost::asio::any_io_executor executor, const Address& address, ServerOptions options,
               Handler handler)
    : Server(std::move(executor), ListeningSocket(address), std::move(options), std::move(handler)) {}

Server::Server(boost::asio::any_io_executor executor, ListeningSocket socket, ServerOptions options,
               Handler handler)
    : impl_(std::make_shared<Impl>(executor, std::move(socket), std::move(options), std::move(handler))) {}

Server::~Server() = default;

Address Server::local_address() const {
  return impl_->listener.local_address();
}

int Server::descriptor() const {
  return impl_->listener.descriptor();
}

void Server::set_options(ServerOptions options) {
  impl_->set_options(std::move(options));
  if (impl_->room) impl_->room->set();
}

void Server::announce_close() {
  impl_->state.closing = true;
}

void Server::stop_accepting() {
  impl_->listener.close();
  if (impl_->room) impl_->room->set();
}

Task<bool> Server::wait_idle(Deadline deadline) {
  const auto impl = impl_;
  co_return co_await impl->tasks.wait_empty(deadline);
}

void Server::start() {
  impl_->tasks.spawn([impl = impl_] { return impl->accept_loop(); });
}

Task<void> Server::stop(std::chrono::milliseconds grace) {
  const auto impl = impl_;
  impl->state.stopping = true;
  impl->listener.close();
  if (impl->room) impl->room->set();
  const std::vector<ServerConnection*> all(impl->live.begin(), impl->live.end());
  for (auto* connection : all) connection->end_if_idle();
  const bool empty = co_await impl->tasks.wait_empty(std::chrono::steady_clock::now() + grace);
  if (empty) co_return;
  impl->tasks.cancel();
  co_await impl->tasks.wait_empty(kNoDeadline);
}

std::size_t Server::connections() const {
  return impl_->live.size();
}

}  // namespace tessera::http
