// What is declared about a setting.
#pragma once

#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>

#include "config/checks.h"
#include "config/settings.h"

namespace tessera::config {

// Of a number: itself; of a duration: milliseconds; of Bytes: bytes. Both ends belong to it.
struct Range {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool or_zero = false;  // 0 is allowed below `low` too
};

constexpr Range between(double low, double high) {
  return {low, high};
}
constexpr Range between(Millis low, Millis high) {
  return {static_cast<double>(low.count()), static_cast<double>(high.count())};
}
constexpr Range between(Bytes low, Bytes high) {
  return {static_cast<double>(low.value), static_cast<double>(high.value)};
}
constexpr Range or_zero(Range range) {
  return {range.low, range.high, true};
}

enum class Secret : unsigned char {
  no,
  whole,     // shown as "***"
  password,  // a URL: its password is shown as "***"
};

struct Field {
  std::string_view name;       // in the file; in upper case behind TESSERA_<SECTION>_ in the environment
  std::string_view meaning;    // one sentence
  std::string_view form = {};  // what a text holds: "host:port"
  Range range = {};
  std::string_view words = {};  // the only texts that are allowed, separated by '|'
  Check check = nullptr;        // of a text that is not empty, or of each element of a list
  std::string_view flag = {};   // the command-line option that sets it
  Secret secret = Secret::no;
  bool required = false;  // may not be empty
};

template <class Section, class Settings>
concept MaybeConst = std::same_as<std::remove_const_t<Section>, Settings>;

inline constexpr Millis kSecond{1'000};
inline constexpr Millis kHour{3'600'000};
inline constexpr Millis kYear{365 * 24 * kHour};
inline constexpr Bytes kKiB{1ull << 10};
inline constexpr Bytes kMiB{1ull << 20};
inline constexpr Bytes kGiB{1ull << 30};
inline constexpr Bytes kTiB{1ull << 40};

}  // namespace tessera::config
