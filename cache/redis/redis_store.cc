#include "cache/redis/redis_store.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cache/redis/address.h"
#include "cache/redis/counters.h"
#include "cache/redis/lookup.h"
#include "cache/redis/pool.h"
#include "cache/redis/purge.h"
#include "cache/redis/stream.h"
#include "cache/redis/write_queue.h"

namespace tessera::cache {
namespace {

namespace asio = boost::asio;

// What one reply may have in all; whatever the largest value, two fit, with their headers.
constexpr std::size_t kReplyBytes = 64 << 20;
constexpr std::size_t kHeaderBytes = 1 << 10;

redis::Address address_of(const config::RedisSettings& settings) {
  auto address = redis::parse_address(settings.address);
  if (address.has_error()) throw std::invalid_argument("[redis] address: " + address.error());
  return std::move(*address);
}

std::shared_ptr<redis::ConnectionSettings> connection_settings(const config::RedisSettings& settings) {
  auto result = std::make_shared<redis::ConnectionSettings>();
  result->address = address_of(settings);
  result->command_timeout = settings.command_timeout;
  result->connect_timeout = settings.connect_timeout;
  result->limits.value = settings.max_value.value;
  result->limits.reply.bytes =
      std::max<std::size_t>(kReplyBytes, 2 * settings.max_value.value + kHeaderBytes);
  return result;
}

// The parts are shared with the coroutines that they have under way; nothing refers to the store itself.
class RedisStore final : public RemoteStore {
 public:
  RedisStore(const asio::any_io_executor& executor, const config::RedisSettings& settings,
             const std::shared_ptr<const redis::ConnectionSettings>& connections)
      : prefix_(settings.prefix),
        counters_(std::make_shared<redis::Counters>(redis::to_string(connections->address))),
        pool_(std::make_shared<redis::Pool>(executor, connections,
                                            redis::StreamFactory(connections->address, settings.ca_file),
                                            settings.max_connections, counters_)),
        writes_(std::make_shared<redis::WriteQueue>(
            pool_, counters_, redis::WriteSettings{settings.ttl, settings.max_value.value})),
        lookup_(std::make_shared<redis::Lookup>(pool_, counters_, settings.keys_per_command)) {
    pool_->start([writes = std::weak_ptr(writes_)] {
      if (const auto queue = writes.lock()) queue->clear();
    });
  }
  ~RedisStore() override { pool_->stop(); }
  RedisStore(const RedisStore&) = delete;
  RedisStore& operator=(const RedisStore&) = delete;

  asio::awaitable<std::vector<std::optional<std::string>>> get(std::vector<std::string> keys,
                                                               Deadline deadline) override {
    return begin_get(lookup_, std::move(keys), deadline);
  }
  void put(std::vector<RemoteItem> items) override { writes_->put(std::move(items)); }
  asio::awaitable<bool> drop_writes(std::string route, std::optional<std::string> id,
                                    Deadline deadline) override {
    redis::KeyFilter filter{prefix_, std::move(route), std::move(id)};
    return redis::drop_writes(writes_, std::move(filter), deadline);
  }
  asio::awaitable<std::optional<std::uint64_t>> purge(std::string route, std::optional<std::string> id,
                                                      Deadline deadline) override {
    redis::KeyFilter filter{prefix_, std::move(route), std::move(id)};
    return begin_purge(writes_, pool_, counters_, std::move(filter), lookup_->one_key_a_command(), deadline);
  }
  RemoteHealth health() const override { return counters_->read(); }

 private:
  // A coroutine starts when it is awaited, and the store may be gone by then: it holds what it needs.
  static asio::awaitable<redis::Values> begin_get(std::shared_ptr<redis::Lookup> lookup,
                                                  std::vector<std::string> keys, Deadline deadline) {
    auto values = co_await lookup->get(std::move(keys), deadline);
    co_return values;
  }

  static asio::awaitable<std::optional<std::uint64_t>> begin_purge(std::shared_ptr<redis::WriteQueue> writes,
                                                                   std::shared_ptr<redis::Pool> pool,
                                                                   std::shared_ptr<redis::Counters> counters,
                                                                   redis::KeyFilter filter,
                                                                   bool one_key_a_command,
                                                                   Deadline deadline) {
    const bool dropped = co_await redis::drop_writes(std::move(writes), filter, deadline);
    if (!dropped) co_return std::nullopt;
    co_return co_await redis::purge_keys(std::move(pool), std::move(counters), std::move(filter),
                                         one_key_a_command, deadline);
  }

  const std::string prefix_;
  const std::shared_ptr<redis::Counters> counters_;
  const std::shared_ptr<redis::Pool> pool_;
  const std::shared_ptr<redis::WriteQueue> writes_;
  const std::shared_ptr<redis::Lookup> lookup_;
};

}  // namespace

std::unique_ptr<RemoteStore> make_redis_store(asio::any_io_executor executor,
                                              const config::RedisSettings& settings) {
  const auto connections = connection_settings(settings);
  return std::make_unique<RedisStore>(executor, settings, connections);
}

}  // namespace tessera::cache
