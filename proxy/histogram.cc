// Invariant: bucket i holds the values from lowest(i) to highest(i), and the buckets follow each other
// without a gap: one value each up to 31, then 32 to each power of two. The last one also holds what is
// larger.
#include "proxy/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tessera::proxy {
namespace {

std::uint64_t to_nanoseconds(std::chrono::steady_clock::duration value) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(value).count();
  return ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
}

void raise_to(std::atomic<std::uint64_t>& maximum, std::uint64_t value) {
  auto seen = maximum.load(std::memory_order_relaxed);
  while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::size_t Histogram::bucket(std::uint64_t us) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();
  const auto value = std::min(us, kLargest);
  if (value < kPerPower) return static_cast<std::size_t>(value);
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
  return static_cast<std::size_t>(((shift + 1ull) << kSubBits) + ((value >> shift) - kPerPower));
}

std::uint64_t Histogram::highest(std::size_t bucket) {
  if (bucket < kPerPower) return bucket;
  const auto shift = (bucket >> kSubBits) - 1;
  const auto lowest = ((bucket & (kPerPower - 1)) + kPerPower) << shift;
  return lowest + (1ull << shift) - 1;
}

void Histogram::record(std::chrono::steady_clock::duration value) {
  const auto ns = to_nanoseconds(value);
  const auto us = ns / 1'000;
  raise_to(max_us_, us);
  sum_ns_.fetch_add(
      ns,
      std::memory_order_relaxed);  // nanoseconds, as cutting them off would show in the mean of short ones
  counts_[bucket(us)].fetch_add(1, std::memory_order_relaxed);
}

Histogram::Summary Histogram::summary() const {
  std::array<std::uint64_t, kBuckets> counts;
  Summary summary;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts[i] = counts_[i].load(std::memory_order_relaxed);
    summary.count += counts[i];
  }
  if (summary.count == 0) return summary;
  const auto max = max_us_.load(std::memory_order_relaxed);
  const auto quantile = [&](double share) {
    const auto rank = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(summary.count))));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts[i];
      if (seen >= rank) return static_cast<double>(i + 1 == kBuckets ? max : std::min(highest(i), max));
    }
    return static_cast<double>(max);
  };
  const auto sum_ns = static_cast<double>(sum_ns_.load(std::memory_order_relaxed));
  summary.mean_us = sum_ns / 1e3 / static_cast<double>(summary.count);
  summary.p50_us = quantile(0.50);
  summary.p90_us = quantile(0.90);
  summary.p99_us = quantile(0.99);
  summary.max_us = static_cast<double>(max);
  return summary;
}

void Histogram::add_to(Histogram& other) const {
  raise_to(other.max_us_, max_us_.load(std::memory_order_relaxed));
  other.sum_ns_.fetch_add(sum_ns_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const auto count = counts_[i].load(std::memory_order_relaxed);
    if (count != 0) other.counts_[i].fetch_add(count, std::memory_order_relaxed);
  }
}

std::uint64_t Histogram::count_up_to(std::uint64_t us) const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kBuckets && highest(i) <= us; ++i)
    count += counts_[i].load(std::memory_order_relaxed);
  return count;
}

std::uint64_t Histogram::sum_us() const {
  return sum_ns_.load(std::memory_order_relaxed) / 1'000;
}

}  // namespace tessera::proxy
