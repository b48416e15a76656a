#include "cache/redis/counters.h"

#include <algorithm>

namespace tessera::cache::redis {
namespace {

constexpr std::size_t kLongestSentence = 240;

}  // namespace

void Counters::count(RemoteFault fault) {
  faults_[static_cast<std::size_t>(fault)].fetch_add(1, std::memory_order_relaxed);
}

void Counters::count(RemoteFault fault, std::string_view sentence) {
  count(fault);
  remember(sentence);
}

void Counters::remember(std::string_view sentence) {
  std::string text = server_ + ": " + std::string(sentence.substr(0, kLongestSentence));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  const std::lock_guard lock(mutex_);
  last_error_ = std::move(text);
}

RemoteHealth Counters::read() const {
  RemoteHealth health;
  health.connected = connected_.load(std::memory_order_relaxed);
  health.commands = commands_.load(std::memory_order_relaxed);
  health.reconnects = reconnects_.load(std::memory_order_relaxed);
  health.writes_dropped = writes_dropped_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < kRemoteFaults; ++i) {
    health.faults[i] = faults_[i].load(std::memory_order_relaxed);
  }
  const std::lock_guard lock(mutex_);
  health.last_error = last_error_;
  return health;
}

}  // namespace tessera::cache::redis
