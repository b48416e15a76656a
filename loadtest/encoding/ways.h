// The ways of encoding that are compared: what was done before, step by step to what is done now.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "loadtest/encoding/value.h"

namespace tessera::loadtest {

struct Subject {
  std::string_view name;
  Tree tree;
  InternedTree interned;
  std::size_t room = 0;  // bytes that a buffer needs for the result; every way begins with as much
};

enum class Output {
  safe,   // escaped for HTML: the same bytes from every such way
  plain,  // nothing escaped but what JSON demands
};

struct Way {
  std::string_view name;
  Output output;
  // The size of the document; the document itself where `kept` is not null.
  std::size_t (*encode)(const Subject& subject, std::string* kept);
  double original;  // documents per second of the comparison that this one follows; 0: it had no such row
};

// The baseline, which every rate is divided by: RapidJSON's Writer as it is, without these escapes.
inline constexpr std::size_t kBaseline = 7;
extern const std::array<Way, 8> kWays;

}  // namespace tessera::loadtest
