// Reads many keys at once: MGET in chunks, pipelined on one connection; GETs where keys live in different
// slots.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "cache/redis/counters.h"
#include "cache/redis/pool.h"

namespace tessera::cache::redis {

using Values = std::vector<std::optional<std::string>>;

// Belongs to one event loop; held by shared_ptr, which its coroutines share.
class Lookup : public std::enable_shared_from_this<Lookup> {
 public:
  Lookup(std::shared_ptr<Pool> pool, std::shared_ptr<Counters> counters, std::size_t keys_per_command);

  // One value for each key; unset where there is none or where Redis could not tell (a counted fault).
  boost::asio::awaitable<Values> get(std::vector<std::string> keys, Deadline deadline);

  // A command with several keys was refused for their slots: one key a command from then on.
  bool one_key_a_command() const { return one_key_a_command_; }

 private:
  boost::asio::awaitable<Values> get_together(std::vector<std::string>& keys, Deadline deadline);
  boost::asio::awaitable<Values> get_one_by_one(std::vector<std::string>& keys, Deadline deadline);

  const std::shared_ptr<Pool> pool_;
  const std::shared_ptr<Counters> counters_;
  std::size_t keys_per_command_;
  bool one_key_a_command_ = false;
};

}  // namespace tessera::cache::redis
