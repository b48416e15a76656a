// How the manifests of single targets have fared lately, in bounded memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cache/digest.h"

namespace tessera::proxy {

// A target here is what requests have in common that share a manifest: the caller belongs to it. Each has one
// place, by its digest, which it takes from whoever had it: what is forgotten is asked for once more. One
// thread at a time.
class TargetHealth {
 public:
  using Now = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPlaces = 1'024;
  static constexpr unsigned kFailuresInARow = 5;
  static constexpr std::chrono::seconds kRest{5};

  TargetHealth() : places_(kPlaces) {}

  // After several failures in a row the target rests. True: it has given a manifest before, and this is the
  // first failure since.
  bool failed(const cache::Digest& target, Now now);
  void succeeded(const cache::Digest& target, bool with_manifest);
  bool rests(const cache::Digest& target, Now now) const;
  void clear() { places_.assign(kPlaces, {}); }

 private:
  struct Place {
    std::uint64_t target = 0;
    unsigned failures = 0;  // in a row
    bool has_given = false;
    Now rests_until{};
  };
  Place& place_of(const cache::Digest& target);

  std::vector<Place> places_;
};

}  // namespace tessera::proxy
