#include "cache/redis/lookup.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cache/redis/command.h"
#include "cache/redis/error_reply.h"

namespace tessera::cache::redis {

namespace asio = boost::asio;

namespace {

// Where replies prove too large, fewer keys go into a command, but not fewer than these: two of the largest
// values fit.
constexpr std::size_t kFewestKeys = 2;
constexpr std::size_t kBytesAroundKey = 16;  // of its header

bool is_value(const Reply& reply) {
  return reply.is_nil() || reply.is_text();
}

std::size_t command_bytes(std::span<const std::string> keys) {
  std::size_t bytes = 0;
  for (const auto& key : keys) bytes += key.size() + kBytesAroundKey;
  return bytes;
}

Request mget_request(std::span<const std::string> keys, std::size_t chunk) {
  Request request;
  request.bytes.reserve(command_bytes(keys) + (keys.size() / chunk + 1) * 2 * kBytesAroundKey);
  for (std::size_t at = 0; at < keys.size(); at += chunk) {
    append_command(request.bytes, {"MGET"}, keys.subspan(at, std::min(chunk, keys.size() - at)));
    ++request.commands;
  }
  request.max_elements = std::min(chunk, keys.size());
  request.fits = [chunk, count = keys.size()](std::span<const Reply> replies) {
    std::size_t at = 0;
    for (const Reply& reply : replies) {
      const std::size_t expected = std::min(chunk, count - at);
      at += expected;
      if (reply.is_error()) continue;
      if (reply.kind != Reply::Kind::array || reply.elements.size() != expected) return false;
      if (!std::ranges::all_of(reply.elements, is_value)) return false;
    }
    return true;
  };
  return request;
}

Request get_request(std::span<const std::string> keys) {
  Request request;
  request.bytes.reserve(command_bytes(keys) + keys.size() * 2 * kBytesAroundKey);
  for (const auto& key : keys) append_command(request.bytes, {"GET", key});
  request.commands = keys.size();
  request.fits = [](std::span<const Reply> replies) {
    return std::ranges::all_of(replies,
                               [](const Reply& reply) { return reply.is_error() || is_value(reply); });
  };
  return request;
}

void take(Reply& reply, std::optional<std::string>& value) {
  if (reply.is_text()) value = std::move(reply.text);
}

}  // namespace

Lookup::Lookup(std::shared_ptr<Pool> pool, std::shared_ptr<Counters> counters, std::size_t keys_per_command)
    : pool_(std::move(pool)),
      counters_(std::move(counters)),
      keys_per_command_(std::max<std::size_t>(1, keys_per_command)) {}

asio::awaitable<Values> Lookup::get(std::vector<std::string> keys, Deadline deadline) {
  const auto self = shared_from_this();
  Values values;
  if (keys.empty()) co_return values;
  if (!one_key_a_command_) {
    values = co_await get_together(keys, deadline);
    if (!values.empty()) co_return values;
  }
  values = co_await get_one_by_one(keys, deadline);
  co_return values;
}

// Empty when the keys may not stand in one command.
asio::awaitable<Values> Lookup::get_together(std::vector<std::string>& keys, Deadline deadline) {
  const std::size_t chunk = keys_per_command_;
  Request request = mget_request(keys, chunk);
  Exchange exchange = co_await pool_->call(std::move(request), deadline, Pool::Patience::command);
  if (exchange.too_large) keys_per_command_ = std::min(chunk, std::max(kFewestKeys, chunk / 2));
  Values values;
  if (has_error(exchange.replies, RemoteFault::moved)) {
    one_key_a_command_ = true;
    co_return values;
  }
  count_errors("MGET", exchange.replies, *counters_);
  values.resize(keys.size());
  std::size_t at = 0;
  for (Reply& reply : exchange.replies) {
    for (std::size_t i = 0; i < reply.elements.size(); ++i) take(reply.elements[i], values[at + i]);
    at += chunk;
  }
  co_return values;
}

asio::awaitable<Values> Lookup::get_one_by_one(std::vector<std::string>& keys, Deadline deadline) {
  Request request = get_request(keys);
  Exchange exchange = co_await pool_->call(std::move(request), deadline, Pool::Patience::command);
  count_errors("GET", exchange.replies, *counters_);
  Values values(keys.size());
  for (std::size_t i = 0; i < exchange.replies.size(); ++i) take(exchange.replies[i], values[i]);
  co_return values;
}

}  // namespace tessera::cache::redis
