// Deletes keys by their parts: SCAN, an exact look at each key, UNLINK.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "cache/redis/counters.h"
#include "cache/redis/pool.h"
#include "cache/redis/write_queue.h"

namespace tessera::cache::redis {

// Which keys. A glob pattern narrows the SCAN; only what the key itself says decides.
struct KeyFilter {
  std::string prefix;
  std::string route;              // "": every route
  std::optional<std::string> id;  // that record's fragments only; the id's text, string or number alike

  bool matches(std::string_view key) const;
};

// What waits in `writes` for these keys is dropped, and what has been sent already is waited for, so that it
// cannot come back behind a purge. False when the deadline came first.
boost::asio::awaitable<bool> drop_writes(std::shared_ptr<WriteQueue> writes, KeyFilter filter,
                                         Deadline deadline);

// How many keys went; unset when a fault (counted) or the deadline came first.
boost::asio::awaitable<std::optional<std::uint64_t>> purge_keys(std::shared_ptr<Pool> pool,
                                                                std::shared_ptr<Counters> counters,
                                                                KeyFilter filter, bool one_key_a_command,
                                                                Deadline deadline);

}  // namespace tessera::cache::redis
