// L2 as its users see it: bytes under keys, on one event loop, never an error that reaches a request.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

namespace tessera::cache {

// Why L2 did not answer. The words are those of /stats, /metrics and the log.
enum class RemoteFault : unsigned char {
  none,
  unavailable,    // not connected (the breaker is open); no request waits for a reconnect
  timeout,        // the command's own deadline passed; that connection was closed
  disconnected,   // the connection broke midway
  loading,        // LOADING, BUSY, MASTERDOWN, TRYAGAIN
  readonly,       // READONLY: reconnected
  oom,            // OOM: writes pause for a while
  misconfigured,  // NOAUTH, WRONGPASS, NOPERM, MISCONF, WRONGTYPE and other error replies
  moved,          // MOVED, ASK, CROSSSLOT where no fallback helps
  nonsense,       // not RESP, or not the reply that the command has
};
inline constexpr std::size_t kRemoteFaults = 10;
const char* to_string(RemoteFault fault);

struct RemoteItem {
  std::string key;
  std::string value;
};

struct RemoteHealth {
  bool connected = false;
  std::uint64_t commands = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t writes_dropped = 0;
  std::uint64_t faults[kRemoteFaults] = {};
  std::string last_error;  // a sentence; "" when none yet
};

class RemoteStore {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  virtual ~RemoteStore() = default;

  // One value for each key, unset where there is none or where L2 could not tell. Never fails: a fault is
  // counted.
  virtual boost::asio::awaitable<std::vector<std::optional<std::string>>> get(std::vector<std::string> keys,
                                                                              Deadline deadline) = 0;
  // Queued and sent in the background with the TTL of the settings and its jitter; dropped (and counted) when
  // the queue is full or L2 is away.
  virtual void put(std::vector<RemoteItem> items) = 0;
  // Takes back what put() has queued for such keys (route and id as in purge), and waits until what was sent
  // by now has been answered; false when that is not known in time.
  virtual boost::asio::awaitable<bool> drop_writes(std::string route, std::optional<std::string> id,
                                                   Deadline deadline) = 0;
  // Deletes every key of the prefix (and route, and id, where given) by SCAN and UNLINK; how many went, unset
  // on a fault.
  virtual boost::asio::awaitable<std::optional<std::uint64_t>> purge(std::string route,
                                                                     std::optional<std::string> id,
                                                                     Deadline deadline) = 0;
  // Thread-safe.
  virtual RemoteHealth health() const = 0;
};

}  // namespace tessera::cache
