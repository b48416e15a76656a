#include "cache/redis/error_reply.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tessera::cache::redis {
namespace {

struct Meaning {
  std::string_view word;
  RemoteFault fault;
};

// https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors; every other word is
// misconfigured.
constexpr std::array<Meaning, 10> kMeanings{{
    {"LOADING", RemoteFault::loading},
    {"BUSY", RemoteFault::loading},
    {"MASTERDOWN", RemoteFault::loading},
    {"TRYAGAIN", RemoteFault::loading},
    {"CLUSTERDOWN", RemoteFault::loading},
    {"READONLY", RemoteFault::readonly},
    {"OOM", RemoteFault::oom},
    {"MOVED", RemoteFault::moved},
    {"ASK", RemoteFault::moved},
    {"CROSSSLOT", RemoteFault::moved},
}};

}  // namespace

RemoteFault classify_error(std::string_view reply) {
  const auto word = reply.substr(0, reply.find(' '));
  const auto* const found = std::ranges::find(kMeanings, word, &Meaning::word);
  return found == kMeanings.end() ? RemoteFault::misconfigured : found->fault;
}

bool has_error(std::span<const Reply> replies, RemoteFault fault) {
  return std::ranges::any_of(replies, [fault](const Reply& reply) {
    return reply.is_error() && classify_error(reply.text) == fault;
  });
}

void count_errors(std::string_view command, std::span<const Reply> replies, Counters& counters) {
  std::array<bool, kRemoteFaults> counted{};
  for (const Reply& reply : replies) {
    if (!reply.is_error()) continue;
    const auto fault = classify_error(reply.text);
    if (std::exchange(counted[static_cast<std::size_t>(fault)], true)) continue;
    counters.count(fault, std::string(command) + " was answered: " + reply.text);
  }
}

}  // namespace tessera::cache::redis
