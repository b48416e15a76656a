#include "proxy/record_flights.h"

namespace tessera::proxy {

std::string RecordFlights::claim(const cache::Digest& space, const cache::ManifestEntry& entry,
                                 const cache::Generations::Token& token) {
  std::string claim(space.view());
  claim += std::to_string(token.route_generation) + '.' + std::to_string(token.record_generation);
  claim += entry.id_is_number ? 'n' : 's';
  claim += std::to_string(entry.id.size());
  claim += ':';
  claim += entry.id;
  claim += entry.version;
  return claim;
}

std::vector<RecordFlightPtr> RecordFlights::take(const std::vector<std::string>& claims,
                                                 const RecordFlightPtr& flight) {
  std::vector<RecordFlightPtr> owners;
  owners.reserve(claims.size());
  const std::lock_guard lock(mutex_);
  for (const std::string& claim : claims) {
    const auto [at, mine] = flights_.try_emplace(claim, flight);
    owners.push_back(mine ? nullptr : at->second);
  }
  return owners;
}

void RecordFlights::finish(const std::vector<std::string>& claims, const RecordFlightPtr& flight) {
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& claim : claims) {
      const auto at = flights_.find(claim);
      if (at != flights_.end() && at->second == flight) flights_.erase(at);
    }
  }
  flight->done.set();
}

}  // namespace tessera::proxy
