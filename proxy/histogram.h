// A latency histogram in the manner of HdrHistogram: buckets of constant relative width, from 1 us to over an
// hour.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tessera::proxy {

// Thread-safe; recording is two relaxed increments and a comparison with the maximum. Quantiles are exact to
// 1/32 of themselves, and never below the true one. What is recorded while a summary is made is in it or not.
class Histogram {
 public:
  void record(std::chrono::steady_clock::duration value);

  struct Summary {
    std::uint64_t count = 0;
    double mean_us = 0;
    double p50_us = 0;
    double p90_us = 0;
    double p99_us = 0;
    double max_us = 0;
  };
  Summary summary() const;
  // Adds this histogram's counts to `other` (for totals over routes).
  void add_to(Histogram& other) const;
  // How many values were at most `us`, for Prometheus' cumulative buckets. Values of the bucket that `us`
  // cuts do not count.
  std::uint64_t count_up_to(std::uint64_t us) const;
  std::uint64_t sum_us() const;

 private:
  static std::size_t bucket(std::uint64_t us);
  static std::uint64_t highest(
      std::size_t bucket);  // the largest value that the bucket holds, in microseconds

  static constexpr unsigned kSubBits = 5;
  static constexpr std::uint64_t kPerPower = 1u << kSubBits;
  static constexpr std::size_t kBuckets = (32 - kSubBits + 1) << kSubBits;
  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<std::uint64_t> sum_ns_{0};
  std::atomic<std::uint64_t> max_us_{0};
};

}  // namespace tessera::proxy
