// Invariant: drain() runs exactly while items_ is not empty or a batch is out.
#include "cache/redis/write_queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cache/redis/background.h"
#include "cache/redis/command.h"
#include "cache/redis/error_reply.h"

namespace tessera::cache::redis {

namespace asio = boost::asio;

namespace {

// Of one exchange: small enough that nobody waits long for the connection, or for Redis behind it.
constexpr std::size_t kBatchItems = 256;
constexpr std::size_t kBatchBytes = 256 << 10;
constexpr std::chrono::seconds kPatience{10};  // for a free connection
constexpr std::size_t kBytesAroundItem = 96;   // SET, PX, the TTL and the headers

std::size_t size_of(const RemoteItem& item) {
  return item.key.size() + item.value.size();
}

}  // namespace

std::chrono::milliseconds jittered(std::chrono::milliseconds ttl, double random) {
  const auto spread = static_cast<double>(ttl.count()) * (0.9 + 0.2 * random);
  return std::max(std::chrono::milliseconds{1}, std::chrono::milliseconds{static_cast<std::int64_t>(spread)});
}

WriteQueue::WriteQueue(std::shared_ptr<Pool> pool, std::shared_ptr<Counters> counters,
                       const WriteSettings& settings)
    : pool_(std::move(pool)),
      counters_(std::move(counters)),
      settings_(settings),
      batch_ends_(pool_->executor()) {}

void WriteQueue::put(std::vector<RemoteItem> items) {
  if (items.empty()) return;
  if (pool_->is_away() || Clock::now() < paused_until_) {
    if (pool_->is_away()) counters_->count(RemoteFault::unavailable);
    counters_->writes_dropped(items.size());
    return;
  }
  for (auto& item : items) {
    const std::size_t size = size_of(item);
    if (item.value.size() > settings_.max_value || bytes_ + size > kMaxBytes) {
      counters_->writes_dropped(1);
      continue;
    }
    bytes_ += size;
    items_.push_back(std::move(item));
  }
  if (items_.empty() || std::exchange(draining_, true)) return;
  run_in_background(pool_->executor(), [self = shared_from_this()] { return self->drain(); });
}

void WriteQueue::clear() {
  counters_->writes_dropped(items_.size());
  items_.clear();
  bytes_ = 0;
}

void WriteQueue::forget(const std::function<bool(std::string_view)>& matches) {
  std::erase_if(items_, [&](const RemoteItem& item) {
    if (!matches(item.key)) return false;
    bytes_ -= size_of(item);
    return true;
  });
}

asio::awaitable<bool> WriteQueue::wait_for_sent(Deadline deadline) {
  const auto self = shared_from_this();
  const auto batch = batches_;
  while (sending_ && batches_ == batch) {
    const bool ended = co_await batch_ends_.wait(deadline);
    if (!ended) co_return false;
  }
  co_return true;
}

asio::awaitable<void> WriteQueue::drain() {
  const auto self = shared_from_this();
  while (!items_.empty()) {
    const Batch batch = take_batch();
    Request request = make_request(batch);
    sending_ = true;
    ++batches_;
    const Exchange exchange =
        co_await pool_->call(std::move(request), Clock::now() + kPatience, Pool::Patience::deadline);
    sending_ = false;
    batch_ends_.wake_all();
    judge(batch, exchange);
  }
  draining_ = false;
}

WriteQueue::Batch WriteQueue::take_batch() {
  Batch batch;
  std::size_t bytes = 0;
  while (!items_.empty() && batch.size() < kBatchItems && bytes < kBatchBytes) {
    bytes += size_of(items_.front());
    batch.push_back(std::move(items_.front()));
    items_.pop_front();
  }
  bytes_ -= bytes;
  return batch;
}

Request WriteQueue::make_request(const Batch& batch) {
  Request request;
  std::size_t bytes = 0;
  for (const auto& item : batch) bytes += size_of(item) + kBytesAroundItem;
  request.bytes.reserve(bytes);
  std::uniform_real_distribution<double> spread(0.0, 1.0);
  for (const auto& item : batch) {
    const auto ttl = std::to_string(jittered(settings_.ttl, spread(random_)).count());
    append_command(request.bytes, {"SET", item.key, item.value, "PX", ttl});
  }
  request.commands = batch.size();
  request.fits = [](std::span<const Reply> replies) {
    return std::ranges::all_of(replies,
                               [](const Reply& r) { return r.kind == Reply::Kind::status || r.is_error(); });
  };
  return request;
}

void WriteQueue::judge(const Batch& batch, const Exchange& exchange) {
  const auto stored =
      static_cast<std::size_t>(std::ranges::count(exchange.replies, Reply::Kind::status, &Reply::kind));
  counters_->writes_dropped(batch.size() - stored);
  count_errors("SET", exchange.replies, *counters_);
  const bool refused = has_error(exchange.replies, RemoteFault::oom) ||
                       has_error(exchange.replies, RemoteFault::readonly) ||
                       has_error(exchange.replies, RemoteFault::misconfigured);
  if (!refused) return;
  paused_until_ = Clock::now() + kPause;
  clear();
}

}  // namespace tessera::cache::redis
