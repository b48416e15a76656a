#include "tests/cache/redis/store_loop.h"

#include <exception>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "cache/redis/redis_store.h"

namespace tessera::test {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

config::RedisSettings patient_settings(const std::string& address) {
  config::RedisSettings settings = default_settings(address);
  settings.command_timeout = std::chrono::seconds(10);
  settings.connect_timeout = std::chrono::seconds(10);
  return settings;
}

config::RedisSettings default_settings(const std::string& address) {
  config::RedisSettings settings;
  settings.address = address;
  return settings;
}

struct StoreLoop::Impl {
  explicit Impl(const config::RedisSettings& settings)
      : io(std::make_unique<asio::io_context>(1)),
        work(io->get_executor()),
        store(cache::make_redis_store(io->get_executor(), settings)) {}

  std::unique_ptr<asio::io_context> io;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  std::unique_ptr<cache::RemoteStore> store;
};

namespace {

asio::awaitable<Values> begin(std::shared_ptr<StoreLoop::Ticket> ticket, asio::awaitable<Values> get) {
  ticket->begun = true;
  Values values = co_await std::move(get);
  co_return values;
}

}  // namespace

StoreLoop::StoreLoop(const config::RedisSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}

StoreLoop::~StoreLoop() = default;

std::shared_ptr<StoreLoop::Ticket> StoreLoop::begin_get(std::vector<std::string> keys,
                                                        std::chrono::milliseconds limit) {
  auto ticket = std::make_shared<Ticket>();
  auto signal = std::make_shared<asio::cancellation_signal>();
  ticket->cancel = [signal] { signal->emit(asio::cancellation_type::terminal); };
  const auto start = Clock::now();
  auto done = [ticket, signal, start](const std::exception_ptr& failure, Values values) {
    ticket->took = Clock::now() - start;
    ticket->ended = true;
    ticket->threw = failure != nullptr;
    if (!failure) ticket->values = std::move(values);
  };
  asio::co_spawn(*impl_->io, begin(ticket, impl_->store->get(std::move(keys), start + limit)),
                 asio::bind_cancellation_slot(signal->slot(), std::move(done)));
  return ticket;
}

Values StoreLoop::get(std::vector<std::string> keys, std::chrono::milliseconds limit) {
  const auto ticket = begin_get(std::move(keys), limit);
  wait_until([&] { return ticket->ended; });
  return ticket->values.value_or(Values{});
}

std::optional<std::string> StoreLoop::get_one(const std::string& key) {
  auto values = get({key});
  return values.empty() ? std::nullopt : std::move(values.front());
}

std::optional<std::uint64_t> StoreLoop::purge(const std::string& route, const std::optional<std::string>& id,
                                              std::chrono::milliseconds limit) {
  std::optional<std::uint64_t> count;
  bool ended = false;
  auto done = [&](const std::exception_ptr& failure, std::optional<std::uint64_t> gone) {
    ended = true;
    if (!failure) count = gone;
  };
  asio::co_spawn(*impl_->io, impl_->store->purge(route, id, Clock::now() + limit), done);
  wait_until([&] { return ended; }, limit + kLimit);
  return count;
}

void StoreLoop::put(std::vector<cache::RemoteItem> items) {
  impl_->store->put(std::move(items));
}

bool StoreLoop::wait_until(const std::function<bool()>& statement, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (!statement()) {
    if (Clock::now() >= deadline) return false;
    impl_->io->run_one_for(std::chrono::milliseconds(2));
  }
  return true;
}

bool StoreLoop::wait_connected(std::chrono::milliseconds limit) {
  return wait_until([this] { return health().connected; }, limit);
}

bool StoreLoop::wait_value(const std::string& key, const std::string& value,
                           std::chrono::milliseconds limit) {
  return wait_until([&] { return get_one(key) == value; }, limit);
}

cache::RemoteHealth StoreLoop::health() const {
  return impl_->store->health();
}

cache::RemoteStore& StoreLoop::store() {
  return *impl_->store;
}

void StoreLoop::destroy_store() {
  impl_->store.reset();
}

void StoreLoop::destroy_loop() {
  impl_->work.reset();
  impl_->store.reset();
  impl_->io.reset();
}

}  // namespace tessera::test
