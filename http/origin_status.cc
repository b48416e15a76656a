#include "http/origin_status.h"

#include <algorithm>
#include <optional>

#include <spdlog/spdlog.h>

#include "http/error.h"

namespace tessera::http {
namespace {

std::optional<OriginFault> fault_of(const boost::system::error_code& error) {
  if (error == Error::cancelled) return std::nullopt;
  if (error == Error::timeout) return OriginFault::timeout;
  if (error == Error::closed) return OriginFault::closed;
  if (error == Error::malformed_message || error == Error::head_too_large) return OriginFault::malformed;
  return OriginFault::connect;
}

std::vector<OriginGroup::Member> make_members(std::vector<Origin> origins, std::size_t loops) {
  std::vector<OriginGroup::Member> members;
  for (auto& origin : origins) {
    auto status = std::make_shared<OriginStatus>(origin.name(), loops, true);
    members.push_back({std::move(origin), std::move(status)});
  }
  return members;
}

}  // namespace

const char* to_string(OriginFault fault) {
  switch (fault) {
    case OriginFault::connect:
      return "connect";
    case OriginFault::timeout:
      return "timeout";
    case OriginFault::closed:
      return "closed";
    case OriginFault::malformed:
      return "malformed";
  }
  return "unknown";
}

OriginStatus::OriginStatus(std::string name, std::size_t loops, bool announces)
    : name_(std::move(name)), announces_(announces), counters_(loops) {}

OriginCounts OriginStatus::counts() const {
  OriginCounts sum;
  std::uint64_t closed = 0;
  for (const Counters& one : counters_) {
    const auto read = [](const Counters::Counter& counter) {
      return counter.load(std::memory_order_relaxed);
    };
    sum.requests += read(one.requests);
    for (std::size_t i = 0; i < kOriginFaults; ++i) sum.faults[i] += read(one.faults[i]);
    closed += read(one.connections_closed);
    sum.connections_opened += read(one.connections_opened);
    sum.connections_reused += read(one.connections_reused);
    sum.connections_idle += read(one.connections_idle);
  }
  sum.connections_open = sum.connections_opened - std::min(closed, sum.connections_opened);
  return sum;
}

void OriginStatus::answered() {
  if (health_.answered() && announces_ && may_log()) spdlog::info("origin {}: answers again", name_);
}

unsigned OriginStatus::failed(std::size_t loop, const boost::system::error_code& error) {
  const auto fault = fault_of(error);
  if (!fault) return 0;
  add(of_loop(loop).faults[static_cast<std::size_t>(*fault)]);
  const unsigned failures = health_.failed();
  if (failures == 1 && announces_ && may_log())
    spdlog::warn("origin {}: {} ({})", name_, error.message(), to_string(*fault));
  return failures;
}

bool OriginStatus::may_log() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  auto last = logged_.load(std::memory_order_relaxed);
  const auto second = std::chrono::steady_clock::duration(std::chrono::seconds(1)).count();
  if (last != 0 && now.count() - last < second) return false;
  return logged_.compare_exchange_strong(last, now.count(), std::memory_order_relaxed);
}

OriginGroup::OriginGroup(std::vector<Origin> origins, std::size_t loops)
    : members(make_members(std::move(origins), loops)) {}

}  // namespace tessera::http
