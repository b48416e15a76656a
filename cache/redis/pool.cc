// Invariants: a connection is in idle_, in busy_ or nowhere; idle_ holds only connections of the present
// epoch, and none while the pool is away or stopped; reconnect() runs exactly while the pool is away and not
// stopped.
#include "cache/redis/pool.h"

#include <algorithm>
#include <utility>

#include "cache/redis/background.h"
#include "cache/redis/error_reply.h"

namespace tessera::cache::redis {

namespace asio = boost::asio;

namespace {

// How long the pool makes do with what it has when a further connection is refused (Redis: maxclients).
constexpr std::chrono::seconds kGrowPause{1};
// Nobody waits for writes and purges, and a large value on a slow line is no reason to call Redis frozen.
constexpr int kBackgroundFactor = 10;

}  // namespace

// The exclusive use of a connection; goes back at the end, and is closed unless its exchange was whole.
class Pool::Lease {
 public:
  explicit Lease(Pool& pool) : pool_(pool) {}
  ~Lease() {
    if (connection_) pool_.give_back(connection_, epoch_, whole_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  void hold(ConnectionPtr connection) {
    epoch_ = pool_.epoch_;
    connection_ = std::move(connection);
  }
  Connection& connection() { return *connection_; }
  std::uint64_t epoch() const { return epoch_; }
  void keep() { whole_ = true; }

 private:
  Pool& pool_;
  ConnectionPtr connection_;
  std::uint64_t epoch_ = 0;
  bool whole_ = false;
};

Pool::Pool(asio::any_io_executor executor, std::shared_ptr<const ConnectionSettings> settings,
           StreamFactory streams, std::size_t max_connections, std::shared_ptr<Counters> counters)
    : executor_(std::move(executor)),
      settings_(std::move(settings)),
      streams_(std::move(streams)),
      max_connections_(std::max<std::size_t>(1, max_connections)),
      counters_(std::move(counters)),
      waiters_(executor_),
      pauses_(executor_) {}

void Pool::start(std::function<void()> on_away) {
  on_away_ = std::move(on_away);
  spawn(&Pool::reconnect);
}

void Pool::stop() {
  stopped_ = true;
  away_ = true;
  counters_->connected(false);
  for (const auto& connection : idle_) connection->close();
  for (const auto& connection : busy_) connection->close();
  idle_.clear();
  waiters_.wake_all();
  pauses_.wake_all();
  on_away_ = nullptr;
}

asio::awaitable<Exchange> Pool::call(Request request, Deadline deadline, Patience patience) {
  const auto self = shared_from_this();
  Exchange result;
  Lease lease(*this);
  const Deadline start = Clock::now();
  Deadline patient_until = deadline;
  if (patience == Patience::command) patient_until = std::min(deadline, start + settings_->command_timeout);
  // What is at hand would be taken even after the deadline.
  if (start >= deadline) {
    result.fault = RemoteFault::timeout;
  } else {
    result.fault = co_await acquire(lease, patient_until);
  }
  if (result.fault != RemoteFault::none) {
    counters_->count(result.fault);
    co_return result;
  }
  // The wait for a connection is not Redis's fault: the exchange has its time from here on.
  Connection::Allowance allowance{Clock::now(), settings_->command_timeout, deadline};
  if (patience == Patience::deadline) allowance.limit *= kBackgroundFactor;
  counters_->commands_sent(request.commands);
  result = co_await lease.connection().exchange(std::move(request), allowance);
  if (result.fault == RemoteFault::none) {
    lease.keep();
  } else {
    counters_->count(result.fault, result.sentence);
  }
  judge(result, lease.epoch());
  co_return result;
}

// Either fills the lease and returns none, or says why not.
asio::awaitable<RemoteFault> Pool::acquire(Lease& lease, Deadline deadline) {
  for (;;) {
    if (away_) co_return RemoteFault::unavailable;
    if (auto connection = take_idle()) {
      lease.hold(std::move(connection));
      co_return RemoteFault::none;
    }
    grow();
    const bool woken = co_await waiters_.wait(deadline);
    if (!woken) co_return RemoteFault::timeout;
  }
}

// Those that were woken for an idle connection come before newcomers.
Pool::ConnectionPtr Pool::take_idle() {
  while (idle_.size() > waiters_.woken()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->is_usable()) {
      busy_.insert(connection);
      return connection;
    }
    // Redis closed it, or said something that nobody asked for.
    connection->close();
  }
  return nullptr;
}

void Pool::give_back(const ConnectionPtr& connection, std::uint64_t epoch, bool whole) {
  busy_.erase(connection);
  if (stopped_ || away_ || epoch != epoch_ || !whole) {
    connection->close();
    if (!stopped_ && !away_ && waiters_.waiting() > 0) grow();
    return;
  }
  idle_.push_back(connection);
  waiters_.wake_one();
}

void Pool::judge(const Exchange& exchange, std::uint64_t epoch) {
  if (epoch != epoch_ || away_) return;
  if (exchange.by_caller) return;
  const bool is_readonly = has_error(exchange.replies, RemoteFault::readonly);
  if (exchange.fault != RemoteFault::none || is_readonly) {
    trip();
  } else {
    backoff_.reset();
  }
}

Pool::ConnectionPtr Pool::make_connection() {
  auto connection = std::make_shared<Connection>(executor_, settings_, streams_.make(executor_));
  busy_.insert(connection);
  return connection;
}

void Pool::grow() {
  const std::size_t wanted = std::max<std::size_t>(1, waiters_.waiting());
  if (opening_ >= wanted || idle_.size() + busy_.size() >= max_connections_) return;
  if (!busy_.empty() && Clock::now() < grow_after_) return;
  ++opening_;
  spawn(&Pool::open_further);
}

asio::awaitable<void> Pool::open_further() {
  const auto self = shared_from_this();
  const auto connection = make_connection();
  const auto epoch = epoch_;
  const Exchange answer = co_await connection->open();
  --opening_;
  if (answer.fault == RemoteFault::none) {
    give_back(connection, epoch, true);
    co_return;
  }
  busy_.erase(connection);
  if (stopped_) co_return;
  counters_->remember(answer.sentence);
  grow_after_ = Clock::now() + kGrowPause;
  if (away_ || !idle_.empty() || !busy_.empty()) co_return;
  if (epoch == epoch_) {
    trip();
  } else if (waiters_.waiting() > 0) {
    grow();
  }
}

asio::awaitable<void> Pool::reconnect() {
  const auto self = shared_from_this();
  while (!stopped_) {
    const auto pause = backoff_.next();
    if (pause.count() > 0) co_await pauses_.wait(Clock::now() + pause);
    if (stopped_) co_return;
    const auto connection = make_connection();
    const Exchange answer = co_await connection->open();
    busy_.erase(connection);
    if (stopped_) co_return;
    if (answer.fault == RemoteFault::none) {
      come_back(connection);
      co_return;
    }
    if (answer.fault == RemoteFault::unavailable) {
      counters_->remember(answer.sentence);
    } else {
      counters_->count(answer.fault, answer.sentence);
    }
  }
}

void Pool::come_back(const ConnectionPtr& connection) {
  away_ = false;
  if (was_here_) counters_->reconnected();
  was_here_ = true;
  counters_->connected(true);
  idle_.push_back(connection);
}

void Pool::trip() {
  away_ = true;
  ++epoch_;
  counters_->connected(false);
  for (const auto& connection : idle_) connection->close();
  idle_.clear();
  waiters_.wake_all();
  if (on_away_) on_away_();
  spawn(&Pool::reconnect);
}

// The coroutine runs at once, up to where it first waits.
void Pool::spawn(asio::awaitable<void> (Pool::*coroutine)()) {
  run_in_background(executor_, [self = shared_from_this(), coroutine] { return ((*self).*coroutine)(); });
}

}  // namespace tessera::cache::redis
