#include "proxy/histogram.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_EQ(histogram.summary().count, 0u);
  EXPECT_EQ(histogram.summary().p99_us, 0);
  EXPECT_EQ(histogram.count_up_to(1'000'000), 0u);
}

TEST(Histogram, TellsSmallValuesExactly) {
  Histogram histogram;
  for (int us = 1; us <= 31; ++us) histogram.record(microseconds(us));
  const auto summary = histogram.summary();
  EXPECT_EQ(summary.count, 31u);
  EXPECT_EQ(summary.p50_us, 16);
  EXPECT_EQ(summary.p90_us, 28);
  EXPECT_EQ(summary.max_us, 31);
  EXPECT_EQ(summary.mean_us, 16);
  EXPECT_EQ(histogram.sum_us(), 496u);
  EXPECT_EQ(histogram.count_up_to(10), 10u);
}

TEST(Histogram, TakesValuesOfAnySize) {
  Histogram histogram;
  histogram.record(nanoseconds(-5));
  histogram.record(nanoseconds(999));
  histogram.record(hours(1'000));
  const auto summary = histogram.summary();
  EXPECT_EQ(summary.count, 3u);
  EXPECT_EQ(summary.p50_us, 0);
  EXPECT_EQ(summary.p99_us, 3'600e9);
  EXPECT_EQ(summary.max_us, 3'600e9);
  EXPECT_EQ(histogram.count_up_to(1'000'000), 2u);
}

// Against a sorted vector, with values spread over all powers of two.
TEST(Histogram, AgreesWithASortedVectorToOnePartIn32) {
  const auto seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    const auto size = 1 + random() % 300;
    const double spread = static_cast<double>(1 + random() % 31);
    std::vector<std::uint64_t> values;
    Histogram histogram;
    for (std::size_t i = 0; i < size; ++i) {
      const auto exponent = std::uniform_real_distribution<double>(0, spread)(random);
      values.push_back(static_cast<std::uint64_t>(std::exp2(exponent)));
      histogram.record(microseconds(values.back()));
    }
    std::sort(values.begin(), values.end());
    const auto expect_near = [&](double share, double got) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(size)));
      const auto exact = static_cast<double>(values[std::max<std::size_t>(rank, 1) - 1]);
      EXPECT_GE(got, exact) << share;
      EXPECT_LE(got, exact * (1 + 1.0 / 32)) << share;
    };
    const auto summary = histogram.summary();
    expect_near(0.50, summary.p50_us);
    expect_near(0.90, summary.p90_us);
    expect_near(0.99, summary.p99_us);
    EXPECT_EQ(summary.max_us, static_cast<double>(values.back()));
    for (unsigned power = 1; power < 32; ++power) {
      const auto bound = (1ull << power) - 1;
      const auto exact = std::upper_bound(values.begin(), values.end(), bound) - values.begin();
      EXPECT_EQ(histogram.count_up_to(bound), static_cast<std::uint64_t>(exact)) << bound;
    }
  }
}

TEST(Histogram, AddsUpToTheSameAsOne) {
  Histogram first, second, both, sum;
  for (int i = 0; i < 1'000; ++i) {
    (i % 3 == 0 ? first : second).record(microseconds(i * i));
    both.record(microseconds(i * i));
  }
  first.add_to(sum);
  second.add_to(sum);
  EXPECT_EQ(sum.summary().count, both.summary().count);
  EXPECT_EQ(sum.summary().p90_us, both.summary().p90_us);
  EXPECT_EQ(sum.summary().max_us, both.summary().max_us);
  EXPECT_EQ(sum.sum_us(), both.sum_us());
}

TEST(Histogram, LosesNothingWhenSeveralThreadsRecord) {
  Histogram histogram;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&histogram, t] {
      for (int i = 0; i < 10'000; ++i) histogram.record(microseconds(t * 10'000 + i));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(histogram.summary().count, 40'000u);
  EXPECT_EQ(histogram.summary().max_us, 39'999);
}

}  // namespace
}  // namespace tessera::proxy
