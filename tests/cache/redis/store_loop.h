// A Redis store on an event loop of the test's own, which runs only while the test waits for something.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/remote_store.h"
#include "config/settings.h"

namespace tessera::test {

using Values = std::vector<std::optional<std::string>>;
using cache::RemoteFault;

// Settings for tests of what is stored rather than of time: nothing times out on a busy machine.
config::RedisSettings patient_settings(const std::string& address);
// 50 ms for a command, as by default.
config::RedisSettings default_settings(const std::string& address);

class StoreLoop {
 public:
  static constexpr std::chrono::milliseconds kLimit{20'000};

  explicit StoreLoop(const config::RedisSettings& settings);
  ~StoreLoop();

  // A get() under way. `values` is set when it has ended, unless it was cancelled.
  struct Ticket {
    std::optional<Values> values;
    bool begun = false;
    bool ended = false;
    bool threw = false;
    std::chrono::nanoseconds took{0};
    std::function<void()> cancel;  // REQUIRES: begun (Asio lets the exception out of run() otherwise)
  };
  std::shared_ptr<Ticket> begin_get(std::vector<std::string> keys, std::chrono::milliseconds limit = kLimit);
  // These run the loop until the answer is there.
  Values get(std::vector<std::string> keys, std::chrono::milliseconds limit = kLimit);
  std::optional<std::string> get_one(const std::string& key);
  std::optional<std::uint64_t> purge(const std::string& route,
                                     const std::optional<std::string>& id = std::nullopt,
                                     std::chrono::milliseconds limit = kLimit);
  void put(std::vector<cache::RemoteItem> items);

  // Runs the loop until the statement is true; false when it is not so in time.
  bool wait_until(const std::function<bool()>& statement, std::chrono::milliseconds limit = kLimit);
  bool wait_connected(std::chrono::milliseconds limit = kLimit);
  // Asks again and again until this key has this value.
  bool wait_value(const std::string& key, const std::string& value, std::chrono::milliseconds limit = kLimit);

  cache::RemoteHealth health() const;
  std::uint64_t faults(RemoteFault fault) const { return health().faults[static_cast<std::size_t>(fault)]; }
  cache::RemoteStore& store();
  void destroy_store();
  // The event loop ends with whatever is under way in it; nothing can be called after that.
  void destroy_loop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::test
