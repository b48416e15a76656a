// Which records are being fetched right now, so that nobody asks for one twice.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/fragment.h"
#include "cache/generations.h"
#include "cache/manifest.h"
#include "http/signal.h"

namespace tessera::proxy {

// One fill in flight: the records that it has claimed, and - when `done` is set - those of them that were
// checked.
struct RecordFlight {
  http::Signal done;
  std::unordered_map<std::string, cache::FragmentPtr> checked;  // by claim; written before `done`, read after
};
using RecordFlightPtr = std::shared_ptr<RecordFlight>;

// Thread-safe. A claim names key space, id, version and purge generation: whoever wants the very same may
// join.
class RecordFlights {
 public:
  static std::string claim(const cache::Digest& space, const cache::ManifestEntry& entry,
                           const cache::Generations::Token& token);

  // For each claim: null when it is the caller's now (under `flight`), else the flight that has it already.
  std::vector<RecordFlightPtr> take(const std::vector<std::string>& claims, const RecordFlightPtr& flight);
  // Ends a flight: its claims are free again, and those who wait are told.
  void finish(const std::vector<std::string>& claims, const RecordFlightPtr& flight);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, RecordFlightPtr> flights_;
};

}  // namespace tessera::proxy
