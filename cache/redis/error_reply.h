// What an error reply of Redis means for a cache.
#pragma once

#include <span>
#include <string_view>

#include "cache/redis/counters.h"
#include "cache/redis/reply.h"
#include "cache/remote_store.h"

namespace tessera::cache::redis {

// By the reply's first word, as Redis defines it: loading, readonly, oom, moved or misconfigured.
RemoteFault classify_error(std::string_view reply);

bool has_error(std::span<const Reply> replies, RemoteFault fault);
// Counts each fault that is among the replies of one exchange, once.
void count_errors(std::string_view command, std::span<const Reply> replies, Counters& counters);

}  // namespace tessera::cache::redis
