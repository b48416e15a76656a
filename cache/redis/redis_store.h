// L2 in Redis (or Valkey, or anything that speaks RESP2): see cache/redis/README.md.
#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "cache/remote_store.h"
#include "config/settings.h"

namespace tessera::cache {

// One per event loop; everything but health() is called on that loop. It begins to connect at once; until
// that has succeeded, get() finds nothing. Throws std::invalid_argument with a sentence when the address does
// not read or the ca_file cannot be read.
//
// Destroyed on its event loop, or when that no longer runs, but before its io_context. Calls under way then
// end soon: get() with nothing, purge() unset.
std::unique_ptr<RemoteStore> make_redis_store(boost::asio::any_io_executor executor,
                                              const config::RedisSettings& settings);

}  // namespace tessera::cache
