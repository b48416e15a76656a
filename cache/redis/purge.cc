#include "cache/redis/purge.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "cache/key_space.h"
#include "cache/redis/command.h"
#include "cache/redis/error_reply.h"

namespace tessera::cache::redis {

namespace asio = boost::asio;

namespace {

// SCAN answers whole hash buckets, so a page may hold more keys than COUNT says.
constexpr std::string_view kScanCount = "1000";
constexpr std::size_t kLargestPage = 65'536;

bool is_page(const Reply& reply) {
  return reply.kind == Reply::Kind::array && reply.elements.size() == 2 && reply.elements[0].is_text() &&
         reply.elements[1].kind == Reply::Kind::array &&
         std::ranges::all_of(reply.elements[1].elements, &Reply::is_text);
}

Request scan_request(std::string_view cursor, std::string_view pattern) {
  Request request;
  append_command(request.bytes, {"SCAN", cursor, "MATCH", pattern, "COUNT", kScanCount});
  request.commands = 1;
  request.max_elements = kLargestPage;
  request.fits = [](std::span<const Reply> replies) {
    return std::ranges::all_of(replies,
                               [](const Reply& reply) { return reply.is_error() || is_page(reply); });
  };
  return request;
}

Request unlink_request(std::span<const std::string> keys, bool one_key_a_command) {
  Request request;
  if (one_key_a_command) {
    for (const auto& key : keys) append_command(request.bytes, {"UNLINK", key});
    request.commands = keys.size();
  } else {
    append_command(request.bytes, {"UNLINK"}, keys);
    request.commands = 1;
  }
  request.fits = [](std::span<const Reply> replies) {
    return std::ranges::all_of(
        replies, [](const Reply& reply) { return reply.is_error() || reply.kind == Reply::Kind::integer; });
  };
  return request;
}

}  // namespace

bool KeyFilter::matches(std::string_view key) const {
  ParsedKey parsed;
  if (!parse_redis_key(key, parsed) || parsed.prefix != prefix) return false;
  if (!route.empty() && parsed.route != route) return false;
  return !id || (parsed.kind == 'f' && parsed.id == *id);
}

namespace {

// One purge, on its way through the keys.
class Purge {
 public:
  Purge(std::shared_ptr<Pool> pool, std::shared_ptr<Counters> counters, bool one_key_a_command,
        Deadline deadline)
      : pool_(std::move(pool)),
        counters_(std::move(counters)),
        one_key_a_command_(one_key_a_command),
        deadline_(deadline) {}

  // The replies, all of them and none an error; else empty.
  asio::awaitable<std::vector<Reply>> ask(const char* command, Request request) {
    const std::size_t expected = request.commands;
    Exchange exchange = co_await pool_->call(std::move(request), deadline_, Pool::Patience::deadline);
    count_errors(command, exchange.replies, *counters_);
    if (exchange.fault != RemoteFault::none || exchange.replies.size() != expected ||
        std::ranges::any_of(exchange.replies, &Reply::is_error)) {
      exchange.replies.clear();
    }
    co_return std::move(exchange.replies);
  }

  // False on a fault.
  asio::awaitable<bool> unlink(std::vector<std::string> keys) {
    if (keys.empty()) co_return true;
    Request request = unlink_request(keys, one_key_a_command_);
    const auto replies = co_await ask("UNLINK", std::move(request));
    for (const Reply& reply : replies) unlinked_ += static_cast<std::uint64_t>(reply.integer);
    co_return !replies.empty();
  }

  std::uint64_t unlinked() const { return unlinked_; }

 private:
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<Counters> counters_;
  bool one_key_a_command_;
  Deadline deadline_;
  std::uint64_t unlinked_ = 0;
};

}  // namespace

asio::awaitable<bool> drop_writes(std::shared_ptr<WriteQueue> writes, KeyFilter filter, Deadline deadline) {
  writes->forget([&filter](std::string_view key) { return filter.matches(key); });
  const bool answered = co_await writes->wait_for_sent(deadline);
  co_return answered;
}

asio::awaitable<std::optional<std::uint64_t>> purge_keys(std::shared_ptr<Pool> pool,
                                                         std::shared_ptr<Counters> counters, KeyFilter filter,
                                                         bool one_key_a_command, Deadline deadline) {
  Purge purge(std::move(pool), std::move(counters), one_key_a_command, deadline);
  const std::string pattern = redis_pattern(filter.prefix, filter.route);
  std::string cursor = "0";
  do {
    Request request = scan_request(cursor, pattern);
    auto replies = co_await purge.ask("SCAN", std::move(request));
    if (replies.empty()) co_return std::nullopt;
    cursor = std::move(replies[0].elements[0].text);
    std::vector<std::string> keys;
    for (Reply& key : replies[0].elements[1].elements) {
      if (filter.matches(key.text)) keys.push_back(std::move(key.text));
    }
    const bool went = co_await purge.unlink(std::move(keys));
    if (!went) co_return std::nullopt;
  } while (cursor != "0");
  co_return purge.unlinked();
}

}  // namespace tessera::cache::redis
