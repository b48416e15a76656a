// A small random number generator whose numbers are the same on every machine and with every library, which
// those of <random> are not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::origin {

// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // An independent generator for each (seed, stream, index).
  Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t index)
      : state_(Random(Random(seed ^ stream).next() + index).next()) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  // From 0 to bound - 1. REQUIRED: 0 < bound < 2^32.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32U) * bound) >> 32U; }

 private:
  std::uint64_t state_;
};

}  // namespace tessera::origin
