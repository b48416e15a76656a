#include "proxy/statistics.h"

#include <cstddef>
#include <iterator>

namespace tessera::proxy {
namespace {

constexpr Counter RouteStatistics::*kCounters[] = {
    &RouteStatistics::requests,
    &RouteStatistics::not_modified,
    &RouteStatistics::coalesced_manifests,
    &RouteStatistics::coalesced_assemblies,
    &RouteStatistics::coalesced_records,
    &RouteStatistics::records_snapshot,
    &RouteStatistics::records_memory,
    &RouteStatistics::records_remote,
    &RouteStatistics::records_origin,
    &RouteStatistics::origin_manifest,
    &RouteStatistics::origin_manifest_304,
    &RouteStatistics::origin_check,
    &RouteStatistics::origin_records,
    &RouteStatistics::origin_collection,
    &RouteStatistics::origin_verify,
    &RouteStatistics::origin_pass,
    &RouteStatistics::bytes_cache,
    &RouteStatistics::bytes_origin,
    &RouteStatistics::bytes_sent,
    &RouteStatistics::version_missing,
    &RouteStatistics::racy,
    &RouteStatistics::corrupt_values,
    &RouteStatistics::verified,
    &RouteStatistics::mismatches,
    &RouteStatistics::stored_fragments,
    &RouteStatistics::purged_in_flight,
};

// A counter that is declared and not listed above would be missing in the totals.
constexpr auto kDeclared =
    (offsetof(RouteStatistics, cached_latency) - offsetof(RouteStatistics, requests)) / sizeof(Counter);
static_assert(kDeclared == std::size(kCounters) + kOutcomes + kReasons +
                               std::tuple_size_v<decltype(RouteStatistics::status_classes)>);

void add(const Counter& from, Counter& to) {
  count(to, from.load(std::memory_order_relaxed));
}

template <std::size_t kSize>
void add(const std::array<Counter, kSize>& from, std::array<Counter, kSize>& to) {
  for (std::size_t i = 0; i < kSize; ++i) add(from[i], to[i]);
}

}  // namespace

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::hit:
      return "hit";
    case Outcome::fill:
      return "fill";
    case Outcome::stale:
      return "stale";
    case Outcome::relayed:
      return "relayed";
    case Outcome::passed:
      return "passed";
    case Outcome::departed:
      return "departed";
    case Outcome::failed:
      return "failed";
  }
  return "unknown";
}

void RouteStatistics::sent(Outcome outcome, const http::Sent& sent) {
  // A client that left before it was answered is neither served nor failed.
  if (sent.status == http::kClientLeft) {
    outcome = Outcome::departed;
  } else if (sent.status >= 500 && outcome != Outcome::relayed && outcome != Outcome::passed) {
    outcome = Outcome::failed;
  }
  count(outcomes[static_cast<std::size_t>(outcome)]);
  const auto status_class = static_cast<std::size_t>(sent.status / 100);
  count(status_classes[status_class < status_classes.size() ? status_class : 0]);
  count(bytes_sent, sent.body_bytes);
}

void RouteStatistics::add_to(RouteStatistics& other) const {
  for (const auto counter : kCounters) add(this->*counter, other.*counter);
  add(outcomes, other.outcomes);
  add(passed, other.passed);
  add(status_classes, other.status_classes);
  cached_latency.add_to(other.cached_latency);
  uncached_latency.add_to(other.uncached_latency);
}

Statistics::Statistics(const std::vector<std::string>& routes, const Statistics* before)
    : started_(before ? before->started_ : std::chrono::steady_clock::now()),
      refused_(before ? before->refused_ : std::make_shared<Counter>(0)) {
  const auto add = [&](const std::string& name) {
    if (before) {
      for (const auto& known : before->routes_) {
        if (known->name == name) return routes_.push_back(known);
      }
    }
    routes_.push_back(std::make_shared<RouteStatistics>());
    routes_.back()->name = name;
  };
  for (const auto& name : routes) add(name);
  add("(pass)");
}

}  // namespace tessera::proxy
