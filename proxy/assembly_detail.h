// What the parts of an assembly (assembly*.cc) share, and nobody else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/assembly.h"

namespace tessera::proxy {

// Names a record within one collection: a number and a string of the same text differ.
inline std::string id_key(const cache::ManifestEntry& entry) {
  std::string key(1, entry.id_is_number ? 'n' : 's');
  key += entry.id;
  return key;
}

struct Assembly::Gathered {
  std::vector<std::optional<cache::FragmentView>> views;  // one for each entry of the manifest
  std::vector<cache::FragmentPtr> held;                   // what the views point into
  cache::SnapshotPtr last;                                // likewise
  std::vector<std::size_t> missing;
  RecordSources sources;
  bool any_volatile = false;
  bool narrow = false;  // L2 holds records that vary on more than the key space knows
};

struct Assembly::Claims {
  struct Joined {
    std::string id;
    std::string claim;
    RecordFlightPtr flight;
  };
  cache::Digest space;
  RecordFlightPtr flight = std::make_shared<RecordFlight>();
  std::vector<std::string> mine;
  std::unordered_map<std::size_t, std::string> by_position;  // of `mine`
  std::vector<Joined> joined;                                // what others are fetching already
  std::vector<std::size_t> ask;                              // positions to ask the origin for
};

}  // namespace tessera::proxy
