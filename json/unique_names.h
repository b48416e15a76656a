// Finds the name that comes twice in one object of a document. Pure; one document, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

namespace tessera::json {

// One set for the whole document, so that what a hostile one costs grows with its length and no faster.
class UniqueNames {
 public:
  void begin_object() { open_.push_back(++objects_); }
  void end_object() { open_.pop_back(); }
  // False when the innermost open object has that name already. Keeps a copy of it.
  bool add(std::string_view name);

 private:
  struct Name {
    std::uint32_t object;  // they are counted from 1
    std::string_view text;

    bool operator==(const Name&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Name& name) const;
  };

  std::uint32_t objects_ = 0;
  std::vector<std::uint32_t> open_;
  std::pmr::monotonic_buffer_resource texts_;
  boost::unordered_flat_set<Name, Hash> names_;
};

}  // namespace tessera::json
