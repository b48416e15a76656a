// Which included resources an answer shows, and in which order (JSON:API 1.1, "Compound Documents").
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cache/fragment.h"

namespace tessera::cache {

// Views into the fragments; gone with them.
class Inclusion {
 public:
  struct Shown {
    std::string_view key;
    std::string_view bytes;
    std::size_t record;  // the first that brings it
  };
  // Two records disagree about a resource, or one (first == second) cannot tell whether it includes one.
  struct Conflict {
    std::size_t first = 0;
    std::size_t second = 0;
  };

  // False: see the conflict. Each resource that is no primary record of the answer comes once, in first-seen
  // order.
  bool collect(std::span<const FragmentView> records, Conflict& conflict);

  const std::vector<Shown>& shown() const { return shown_; }
  // Records with a resource that is left out because it is a primary record; ascending.
  const std::vector<std::size_t>& records_with_primaries() const { return records_with_primaries_; }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t shown_index(std::string_view key) const { return index_in(shown_index_, key); }
  std::size_t primary_index(std::string_view key) const { return index_in(primaries_, key); }

 private:
  using Index = boost::unordered_flat_map<std::string_view, std::size_t>;
  static std::size_t index_in(const Index& index, std::string_view key) {
    const auto found = index.find(key);
    return found == index.end() ? kNone : found->second;
  }

  std::vector<Shown> shown_;
  std::vector<std::size_t> records_with_primaries_;
  Index shown_index_;
  Index primaries_;
};

}  // namespace tessera::cache
