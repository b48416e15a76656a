// What RemoteHealth reports, counted. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "cache/remote_store.h"

namespace tessera::cache::redis {

class Counters {
 public:
  explicit Counters(std::string server) : server_(std::move(server)) {}

  void count(RemoteFault fault);
  void count(RemoteFault fault, std::string_view sentence);
  // The latest error, cut to a line's length and free of control characters (its words may come from the
  // server).
  void remember(std::string_view sentence);
  void commands_sent(std::uint64_t count) { commands_.fetch_add(count, std::memory_order_relaxed); }
  void writes_dropped(std::uint64_t count) { writes_dropped_.fetch_add(count, std::memory_order_relaxed); }
  void reconnected() { reconnects_.fetch_add(1, std::memory_order_relaxed); }
  void connected(bool is_connected) { connected_.store(is_connected, std::memory_order_relaxed); }

  RemoteHealth read() const;

 private:
  const std::string server_;
  std::atomic<bool> connected_{false};
  std::atomic<std::uint64_t> commands_{0};
  std::atomic<std::uint64_t> reconnects_{0};
  std::atomic<std::uint64_t> writes_dropped_{0};
  std::array<std::atomic<std::uint64_t>, kRemoteFaults> faults_{};
  mutable std::mutex mutex_;  // protects last_error_, which only faults write and only health() reads
  std::string last_error_;
};

}  // namespace tessera::cache::redis
