#include "config/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace tessera::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

// From the largest to the smallest, as a value is written with the largest that divides it.
constexpr std::array<Unit, 5> kDurations{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::array<Unit, 4> kSizes{
    {{"TiB", 1ull << 40}, {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}}};

// A whole number at the start of text; what follows it is left in `text`.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

template <std::size_t kCount>
std::optional<std::uint64_t> with_unit(std::string_view text, const std::array<Unit, kCount>& units) {
  const auto number = take_number(text);
  if (!number) return std::nullopt;
  for (const auto& unit : units) {
    if (unit.name != text) continue;
    // Room for the sums that callers make of two values.
    constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max() / 4;
    if (*number > kLimit / unit.size) return std::nullopt;
    return *number * unit.size;
  }
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return printable(out + '"');
}

template <class Value>
std::string read_word(std::string_view text, Value& value,
                      const std::array<std::pair<std::string_view, Value>, 2>& words) {
  for (const auto& [word, meaning] : words) {
    if (word != text) continue;
    value = meaning;
    return {};
  }
  return "must be \"" + std::string(words[0].first) + "\" or \"" + std::string(words[1].first) + "\"";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string read_text(std::string_view text, std::string& value) {
  value = text;
  return {};
}

std::string read_text(std::string_view text, std::optional<std::string>& value) {
  value = std::string(text);
  return {};
}

std::string read_text(std::string_view text, bool& value) {
  if (text != "true" && text != "false") return "must be true or false";
  value = text == "true";
  return {};
}

std::string read_text(std::string_view text, unsigned& value) {
  const auto number = take_number(text);
  if (!number || !text.empty() || *number > std::numeric_limits<unsigned>::max()) return "is no whole number";
  value = static_cast<unsigned>(*number);
  return {};
}

std::string read_text(std::string_view text, double& value) {
  double number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return "is no number";
  value = number;
  return {};
}

std::string read_text(std::string_view text, Millis& value) {
  const auto millis = with_unit(text, kDurations);
  if (!millis) return "is no duration; write it as \"50ms\", \"2s\", \"5m\", \"1h\" or \"1d\"";
  value = Millis{static_cast<Millis::rep>(*millis)};
  return {};
}

std::string read_text(std::string_view text, Bytes& value) {
  auto plain = text;
  auto bytes = with_unit(text, kSizes);
  if (!bytes) {
    bytes = take_number(plain);
    if (!plain.empty()) bytes.reset();
  }
  if (!bytes) return "is no size; write it as \"64KiB\", \"256MiB\", \"1GiB\" or a plain number of bytes";
  value = Bytes{*bytes};
  return {};
}

std::string read_text(std::string_view text, CacheMode& value) {
  return read_word<CacheMode>(text, value,
                              {{{"collection", CacheMode::collection}, {"pass", CacheMode::pass}}});
}

std::string read_text(std::string_view text, RouteMode& value) {
  return read_word<RouteMode>(text, value, {{{"serve", RouteMode::serve}, {"pass", RouteMode::pass}}});
}

std::string read_text(std::string_view text, Texts& value) {
  value.clear();
  if (trim(text).empty()) return {};
  for (;;) {
    const auto comma = text.find(',');
    value.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

std::string read_text(std::string_view text, Names& value) {
  Texts pairs;
  read_text(text, pairs);
  Names names;
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos) return "must be pairs, as \"slide=fast_slide\"";
    names[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  value = std::move(names);
  return {};
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are C2 80 to C2 9F.
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool is_high = byte == 0xC2 && next >= 0x80 && next < 0xA0;
    if (!is_high && byte >= 0x20 && byte != 0x7F) {
      out += text[i];
      continue;
    }
    if (is_high) {
      byte = static_cast<unsigned char>(next);
      ++i;
    }
    out.append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 0xF]);
  }
  return out;
}

std::string to_toml_value(const std::string& value) {
  return toml_string(value);
}
std::string to_toml_value(const std::optional<std::string>& value) {
  return toml_string(value.value_or(""));
}
std::string to_toml_value(bool value) {
  return value ? "true" : "false";
}
std::string to_toml_value(unsigned value) {
  return std::to_string(value);
}

std::string to_toml_value(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), error == std::errc() ? end : buffer.data());
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string to_toml_value(Millis value) {
  const auto count = static_cast<std::uint64_t>(value.count());
  if (count == 0) return "\"0s\"";
  const auto* unit = std::find_if(kDurations.begin(), kDurations.end(),
                                  [&](const Unit& each) { return count % each.size == 0; });
  return '"' + std::to_string(count / unit->size) + std::string(unit->name) + '"';
}

std::string to_toml_value(Bytes value) {
  for (const auto& unit : kSizes) {
    if (value.value == 0 || value.value % unit.size != 0) continue;
    return '"' + std::to_string(value.value / unit.size) + std::string(unit.name) + '"';
  }
  return std::to_string(value.value);
}

std::string to_toml_value(CacheMode value) {
  return value == CacheMode::collection ? "\"collection\"" : "\"pass\"";
}
std::string to_toml_value(RouteMode value) {
  return value == RouteMode::serve ? "\"serve\"" : "\"pass\"";
}

std::string to_toml_value(const Texts& value) {
  std::string out = "[";
  for (const auto& text : value) out += (out.size() == 1 ? "" : ", ") + toml_string(text);
  return out + "]";
}

std::string to_toml_value(const Names& value) {
  if (value.empty()) return "{}";
  std::string out = "{";
  for (const auto& [name, text] : value)
    out += (out.size() == 1 ? " " : ", ") + toml_string(name) + " = " + toml_string(text);
  return out + " }";
}

std::string_view type_name(const std::string&) {
  return "text";
}
std::string_view type_name(const std::optional<std::string>&) {
  return "text";
}
std::string_view type_name(bool) {
  return "true or false";
}
std::string_view type_name(unsigned) {
  return "whole number";
}
std::string_view type_name(double) {
  return "number";
}
std::string_view type_name(Millis) {
  return "duration";
}
std::string_view type_name(Bytes) {
  return "bytes";
}
std::string_view type_name(CacheMode) {
  return "\"collection\" or \"pass\"";
}
std::string_view type_name(RouteMode) {
  return "\"serve\" or \"pass\"";
}
std::string_view type_name(const Texts&) {
  return "list of texts";
}
std::string_view type_name(const Names&) {
  return "table of texts";
}

// A password with an unencoded '/' makes no valid URL, but has to be hidden all the same; only a socket's
// path may hold '@'.
std::optional<UrlPassword> find_password(std::string_view url) {
  const auto scheme = url.find("://");
  const auto user = scheme == std::string_view::npos ? 0 : scheme + 3;
  const auto end = url.starts_with("unix://") ? url.find('/', user) : std::string_view::npos;
  const auto at = url.substr(0, end).rfind('@');
  const auto colon = url.find(':', user);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return std::nullopt;
  return UrlPassword{url.substr(0, colon + 1), url.substr(colon + 1, at - colon - 1), url.substr(at)};
}

std::string masked(const std::string& value, Secret secret) {
  if (secret == Secret::no || value.empty()) return value;
  if (secret == Secret::whole) return std::string(kMask);
  const auto url = find_password(value);
  if (!url || url->password.empty()) return value;
  return std::string(url->before) + std::string(kMask) + std::string(url->behind);
}

std::string nearest(std::string_view text, const Texts& names) {
  std::string best;
  if (text.size() > 64) return best;                      // longer than any name
  std::size_t best_distance = (text.size() + 2) / 3 + 1;  // a third of the letters may differ
  for (const auto& name : names) {
    const auto distance = edit_distance(text, name);
    if (distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

}  // namespace tessera::config
