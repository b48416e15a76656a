// Invariant: a connection is among the idle ones only between two complete exchanges, with nothing left to
// read. Whoever takes it owns it; what is not given back is closed.
#include "http/connection_pool.h"

#include <algorithm>

namespace tessera::http {

using std::chrono::steady_clock;

namespace {

// How often idle connections are looked after; more often where they are kept for less.
constexpr std::chrono::milliseconds kSweep{1'000};
constexpr std::chrono::milliseconds kShortestSweep{10};

}  // namespace

Lease::Lease(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {
  ++pool_->out_;
}

Lease::~Lease() {
  if (!pool_) return;
  drop();
  --pool_->out_;
}

void Lease::adopt(std::unique_ptr<Connection> connection, std::string address) {
  connection_ = std::move(connection);
  address_ = std::move(address);
}

void Lease::drop() {
  if (!connection_) return;
  connection_.reset();
  pool_->count_closed(1);
}

void Lease::keep() {
  pool_->give_back(std::move(connection_), std::move(address_));
}

ConnectionPool::ConnectionPool(boost::asio::any_io_executor executor, Origin origin,
                               const ClientOptions& options, std::shared_ptr<OriginStatus> status,
                               std::size_t loop)
    : options_(options),
      status_(std::move(status)),
      counters_(status_->of_loop(loop)),
      connector_(executor, origin, options.names),
      sweeper_(executor) {
  if (origin.scheme != "https") return;
  const auto shared = options.tls ? options.tls : std::make_shared<const ClientTls>(ClientTlsOptions());
  tls_.emplace(*shared, origin.host);
}

ConnectionPool::~ConnectionPool() {
  close_idle();
}

Lease ConnectionPool::take() {
  Lease lease(shared_from_this());
  const auto now = steady_clock::now();
  connector_.refresh(now);
  if (generation_ != connector_.generation()) drop_moved();
  const auto oldest = now - options_.idle_limit;
  while (!idle_.empty() && !lease) {
    if (idle_.back().since < oldest) {  // those before it are older still
      close_idle();
      break;
    }
    auto last = std::move(idle_.back());
    idle_.pop_back();
    if (last.connection->probe() == Connection::State::quiet) {
      lease.adopt(std::move(last.connection), std::move(last.address));
      OriginStatus::add(counters_.connections_reused);
    } else {
      count_closed(1);
    }
  }
  counters_.connections_idle.store(idle_.size(), std::memory_order_relaxed);
  return lease;
}

Task<boost::system::error_code> ConnectionPool::connect(Lease& lease, Deadline deadline) {
  const auto limit = std::min(deadline, steady_clock::now() + options_.connect_timeout);
  auto opened = co_await connector_.connect(limit);
  boost::system::error_code error = opened.error();
  if (opened && tls_) error = co_await tls_->start(*opened->connection, limit);
  if (error) {
    // Only the caller's own deadline is a timeout to him; else the origin could not be reached.
    const bool own = error == Error::timeout && limit < deadline;
    co_return own ? make_error_code(Error::connect_failed) : error;
  }
  OriginStatus::add(counters_.connections_opened);
  lease.adopt(std::move(opened->connection), std::move(opened->address));
  co_return boost::system::error_code();
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection, std::string address) {
  if (options_.max_idle == 0 || !connector_.is_current(address)) return count_closed(1);
  const auto now = steady_clock::now();
  const auto fresh = std::find_if(idle_.begin(), idle_.end(), [&](const Idle& entry) {
    return entry.since >= now - options_.idle_limit;
  });
  const bool full = fresh == idle_.begin() && idle_.size() >= options_.max_idle;
  const auto kept = full ? std::next(fresh) : fresh;
  count_closed(static_cast<std::size_t>(kept - idle_.begin()));
  idle_.erase(idle_.begin(), kept);
  idle_.push_back({std::move(connection), std::move(address), now});
  counters_.connections_idle.store(idle_.size(), std::memory_order_relaxed);
  if (!sweeps_) sweep_later();
}

// Without it, what the origin has closed would stay half closed until the next request. The timer runs for
// itself while there are idle connections: no request sets or stops it.
void ConnectionPool::sweep_later() {
  sweeps_ = true;
  sweeper_.expires_after(std::clamp(options_.idle_limit, kShortestSweep, kSweep));
  sweeper_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    if (error) return;
    if (const auto self = weak.lock()) self->sweep();
  });
}

void ConnectionPool::sweep() {
  sweeps_ = false;
  const auto oldest = steady_clock::now() - options_.idle_limit;
  count_closed(std::erase_if(idle_, [&](const Idle& entry) {
    return entry.since < oldest || entry.connection->probe() != Connection::State::quiet;
  }));
  counters_.connections_idle.store(idle_.size(), std::memory_order_relaxed);
  if (!idle_.empty()) sweep_later();
}

// The name has other addresses now: what leads elsewhere would be an origin that has gone.
void ConnectionPool::drop_moved() {
  generation_ = connector_.generation();
  count_closed(
      std::erase_if(idle_, [&](const Idle& entry) { return !connector_.is_current(entry.address); }));
}

void ConnectionPool::close_idle() {
  count_closed(idle_.size());
  idle_.clear();
  counters_.connections_idle.store(0, std::memory_order_relaxed);
}

void ConnectionPool::count_closed(std::size_t connections) {
  if (connections != 0) OriginStatus::add(counters_.connections_closed, connections);
}

}  // namespace tessera::http
