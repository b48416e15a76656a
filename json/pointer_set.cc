#include "json/pointer_set.h"

#include <cassert>
#include <charconv>

namespace tessera::json {
namespace {

// No sign, no leading zero.
std::optional<std::size_t> array_index(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc{} || rest != token.data() + token.size()) return std::nullopt;
  return index;
}

}  // namespace

PointerSet::Mask PointerSet::add(const Pointer& pointer) {
  assert(pointers_.size() < kCapacity);
  std::vector<Token>& tokens = pointers_.emplace_back();
  for (const std::string& text : pointer.tokens()) tokens.push_back({text, array_index(text)});
  return static_cast<Mask>(1U << (pointers_.size() - 1));
}

PointerSet::Mask PointerSet::step(Mask mask, std::size_t level, std::string_view key) const {
  Mask stepped = 0;
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const auto bit = static_cast<Mask>(1U << i);
    if ((mask & bit) != 0 && level < pointers_[i].size() && pointers_[i][level].text == key) stepped |= bit;
  }
  return stepped;
}

PointerSet::Mask PointerSet::step(Mask mask, std::size_t level, std::size_t index) const {
  Mask stepped = 0;
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const auto bit = static_cast<Mask>(1U << i);
    if ((mask & bit) != 0 && level < pointers_[i].size() && pointers_[i][level].index == index)
      stepped |= bit;
  }
  return stepped;
}

PointerSet::Mask PointerSet::ending(Mask mask, std::size_t level) const {
  Mask ended = 0;
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const auto bit = static_cast<Mask>(1U << i);
    if ((mask & bit) != 0 && pointers_[i].size() == level) ended |= bit;
  }
  return ended;
}

}  // namespace tessera::json
