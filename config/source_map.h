// Where each setting's value came from, so that a fault found later can still name file and line.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::config {

// "redis.ttl"; "route.0.verify" of the first route.
inline std::string setting_path(std::string_view section, std::string_view name) {
  return std::string(section) + "." + std::string(name);
}
inline std::string route_section(std::size_t index) {
  return "route." + std::to_string(index);
}

// What a fault calls a route: `route "courses"`; `route 2` when it has no name.
inline std::string route_label(std::string_view name, std::size_t index) {
  return "route " + (name.empty() ? std::to_string(index + 1) : '"' + std::string(name) + '"');
}

class SourceMap {
 public:
  explicit SourceMap(std::string_view fallback) : fallback_(fallback) {}

  // A later note replaces an earlier one, as the later value does.
  void note(const std::string& path, std::string where) { places_[path] = std::move(where); }
  // The value there could not be read, which has been reported; what stands in its place is not looked at
  // again.
  void spoil(const std::string& path) { spoilt_.insert(path); }
  bool is_spoilt(const std::string& path) const { return spoilt_.contains(path); }

  // Of a setting that was not given: where its section is, or the fallback.
  std::string where(const std::string& path) const {
    const auto exact = places_.find(path);
    if (exact != places_.end()) return exact->second;
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? fallback_ : where(path.substr(0, dot));
  }

 private:
  std::string fallback_;
  std::map<std::string, std::string> places_;
  std::set<std::string> spoilt_;
};

}  // namespace tessera::config
