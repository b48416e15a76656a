// Setting values as texts: read from the environment, the command line and the file; written by --check and
// --help-config. Pure.
//
// read_text returns "" when it set the value, and otherwise what stands behind the text in a fault.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/describe.h"
#include "config/settings.h"

namespace tessera::config {

using Names = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

std::string read_text(std::string_view text, std::string& value);
std::string read_text(std::string_view text, std::optional<std::string>& value);
std::string read_text(std::string_view text, bool& value);
std::string read_text(std::string_view text, unsigned& value);
std::string read_text(std::string_view text, double& value);
std::string read_text(std::string_view text, Millis& value);  // "50ms", "2s", "5m", "1h", "1d", "0s"
std::string read_text(std::string_view text, Bytes& value);   // "64KiB", "256MiB", "1GiB", "1TiB", plain
std::string read_text(std::string_view text, CacheMode& value);
std::string read_text(std::string_view text, RouteMode& value);
std::string read_text(std::string_view text,
                      Texts& value);  // separated by commas, blanks around them left out
std::string read_text(std::string_view text, Names& value);  // "slide=fast_slide", separated by commas

// With each control character as TOML escapes it: names and values come from files and command lines, and a
// terminal would obey.
std::string printable(std::string_view text);

// As TOML: texts in quotes.
std::string to_toml_value(const std::string& value);
std::string to_toml_value(const std::optional<std::string>& value);  // "" in quotes when unset; see is_unset
std::string to_toml_value(bool value);
std::string to_toml_value(unsigned value);
std::string to_toml_value(double value);
std::string to_toml_value(Millis value);
std::string to_toml_value(Bytes value);
std::string to_toml_value(CacheMode value);
std::string to_toml_value(RouteMode value);
std::string to_toml_value(const Texts& value);
std::string to_toml_value(const Names& value);

// A setting that has no value; it has no line in the file.
template <class T>
bool is_unset(const T&) {
  return false;
}
inline bool is_unset(const std::optional<std::string>& value) {
  return !value;
}

// "duration", "text", "list of texts" ...
std::string_view type_name(const std::string&);
std::string_view type_name(const std::optional<std::string>&);
std::string_view type_name(bool);
std::string_view type_name(unsigned);
std::string_view type_name(double);
std::string_view type_name(Millis);
std::string_view type_name(Bytes);
std::string_view type_name(CacheMode);
std::string_view type_name(RouteMode);
std::string_view type_name(const Texts&);
std::string_view type_name(const Names&);

// What a Range is compared with; unset for what has no range.
template <class T>
std::optional<double> magnitude(const T&) {
  return std::nullopt;
}
inline std::optional<double> magnitude(unsigned value) {
  return value;
}
inline std::optional<double> magnitude(double value) {
  return value;
}
inline std::optional<double> magnitude(Millis value) {
  return static_cast<double>(value.count());
}
inline std::optional<double> magnitude(Bytes value) {
  return static_cast<double>(value.value);
}

// A magnitude written as a value of that kind: 1000 of a duration is "1s".
inline std::string format_magnitude(unsigned, double magnitude) {
  return to_toml_value(static_cast<unsigned>(magnitude));
}
inline std::string format_magnitude(double, double magnitude) {
  return to_toml_value(magnitude);
}
inline std::string format_magnitude(Millis, double magnitude) {
  return to_toml_value(Millis{static_cast<Millis::rep>(magnitude)});
}
inline std::string format_magnitude(Bytes, double magnitude) {
  return to_toml_value(Bytes{static_cast<std::uint64_t>(magnitude)});
}
template <class T>
std::string format_magnitude(const T&, double) {
  return {};
}

// `"1s" to "365d"`, `0, or "1MiB" to "1TiB"`; "" for what has no range.
template <class T>
std::string describe_range(const Range& range, const T& value) {
  if (!magnitude(value)) return {};
  return (range.or_zero ? "0, or " : "") + format_magnitude(value, range.low) + " to " +
         format_magnitude(value, range.high);
}

// What --check shows in place of a secret.
inline constexpr std::string_view kMask = "***";
std::string masked(const std::string& value, Secret secret);
template <class T>
requires(!std::convertible_to<const T&, std::string_view>) const T& masked(const T& value, Secret) {
  return value;
}

// "redis://user:" and "@host:6379/0" around the password of a URL; unset when it has none.
struct UrlPassword {
  std::string_view before;
  std::string_view password;
  std::string_view behind;
};
std::optional<UrlPassword> find_password(std::string_view url);

// The nearest of the names, when it is near enough to be what was meant; else "".
std::string nearest(std::string_view text, const Texts& names);

}  // namespace tessera::config
