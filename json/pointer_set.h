// Follows a few JSON Pointers at once while a document goes by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/pointer.h"

namespace tessera::json {

// Pointers are numbered in the order of add(); a mask has bit i set for pointer i. A value lies at a level:
// the number of tokens that lead to it. Immutable while in use.
class PointerSet {
 public:
  using Mask = std::uint8_t;
  static constexpr std::size_t kCapacity = 8;

  // Returns the pointer's bit. REQUIRED: fewer than kCapacity so far.
  Mask add(const Pointer& pointer);

  Mask all() const { return static_cast<Mask>((1U << pointers_.size()) - 1U); }
  // Those of `mask` that lead on from a value at `level` to its member `key`, or its element `index`.
  Mask step(Mask mask, std::size_t level, std::string_view key) const;
  Mask step(Mask mask, std::size_t level, std::size_t index) const;
  // Those of `mask` that end at a value at `level`.
  Mask ending(Mask mask, std::size_t level) const;

 private:
  struct Token {
    std::string text;
    std::optional<std::size_t> index;  // when it can name an array's element (RFC 6901 section 4)
  };
  std::vector<std::vector<Token>> pointers_;
};

}  // namespace tessera::json
