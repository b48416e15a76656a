// Values on their way to Redis, sent in the background.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "cache/redis/counters.h"
#include "cache/redis/pool.h"
#include "cache/redis/wait_list.h"

namespace tessera::cache::redis {

// The TTL with +-10 %, so that what was written together does not expire together. `random` is from [0, 1).
std::chrono::milliseconds jittered(std::chrono::milliseconds ttl, double random);

struct WriteSettings {
  std::chrono::milliseconds ttl{0};
  std::size_t max_value = 0;  // bytes; a larger value is dropped
};

// Belongs to one event loop; held by shared_ptr, which its coroutine shares. Bounded; nothing waits for
// Redis: what cannot go now is dropped and counted.
class WriteQueue : public std::enable_shared_from_this<WriteQueue> {
 public:
  static constexpr std::size_t kMaxBytes = 64 << 20;  // keys and values that wait
  static constexpr std::chrono::seconds kPause{
      1};  // of all writes, after one was refused (OOM, READONLY, MISCONF)

  WriteQueue(std::shared_ptr<Pool> pool, std::shared_ptr<Counters> counters, const WriteSettings& settings);

  void put(std::vector<RemoteItem> items);
  // Drops, and counts, whatever waits.
  void clear();
  // Takes out the items whose keys match, uncounted: they are to be deleted.
  void forget(const std::function<bool(std::string_view key)>& matches);
  // Waits until what has been sent by now has been answered, or its connection is closed.
  boost::asio::awaitable<bool> wait_for_sent(Deadline deadline);

 private:
  using Batch = std::vector<RemoteItem>;

  boost::asio::awaitable<void> drain();
  Batch take_batch();
  Request make_request(const Batch& batch);
  void judge(const Batch& batch, const Exchange& exchange);

  const std::shared_ptr<Pool> pool_;
  const std::shared_ptr<Counters> counters_;
  const WriteSettings settings_;
  std::minstd_rand random_{std::random_device{}()};
  std::deque<RemoteItem> items_;
  std::size_t bytes_ = 0;  // of items_
  bool draining_ = false;
  bool sending_ = false;
  std::uint64_t batches_ = 0;
  WaitList batch_ends_;
  Deadline paused_until_{};
};

}  // namespace tessera::cache::redis
