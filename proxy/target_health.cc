#include "proxy/target_health.h"

#include <cstring>

namespace tessera::proxy {
namespace {

// Of a digest that nobody can steer, a part does.
std::uint64_t mark_of(const cache::Digest& target) {
  std::uint64_t mark = 0;
  std::memcpy(&mark, target.view().data(), sizeof mark);
  return mark;
}

}  // namespace

TargetHealth::Place& TargetHealth::place_of(const cache::Digest& target) {
  const auto mark = mark_of(target);
  Place& place = places_[mark % kPlaces];
  if (place.target != mark) {
    place = {};
    place.target = mark;
  }
  return place;
}

bool TargetHealth::failed(const cache::Digest& target, Now now) {
  Place& place = place_of(target);
  const bool is_first = place.has_given && place.failures == 0;
  if (++place.failures == kFailuresInARow) {
    place.failures = 0;
    place.rests_until = now + kRest;
  }
  return is_first;
}

void TargetHealth::succeeded(const cache::Digest& target, bool with_manifest) {
  Place& place = place_of(target);
  place.failures = 0;
  place.rests_until = {};
  place.has_given = place.has_given || with_manifest;
}

bool TargetHealth::rests(const cache::Digest& target, Now now) const {
  const auto mark = mark_of(target);
  const Place& place = places_[mark % kPlaces];
  return place.target == mark && now < place.rests_until;
}

}  // namespace tessera::proxy
