#include "json/unique_names.h"

#include <cstring>
#include <functional>

#include <boost/container_hash/hash.hpp>

namespace tessera::json {

std::size_t UniqueNames::Hash::operator()(const Name& name) const {
  std::size_t hash = std::hash<std::string_view>()(name.text);
  boost::hash_combine(hash, name.object);
  return hash;
}

bool UniqueNames::add(std::string_view name) {
  if (names_.contains(Name{open_.back(), name})) return false;
  std::string_view kept;
  if (!name.empty()) {
    auto* copy = static_cast<char*>(texts_.allocate(name.size(), 1));
    std::memcpy(copy, name.data(), name.size());
    kept = {copy, name.size()};
  }
  names_.insert(Name{open_.back(), kept});
  return true;
}

}  // namespace tessera::json
