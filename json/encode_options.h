// What may be asked of an encoding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "json/escape.h"
#include "json/writer.h"

namespace tessera::json {

// Which members an object shows. Names are views: they outlive the call.
struct Selection {
  std::vector<std::string_view> only = {};    // of the attributes these; none named: all
  std::vector<std::string_view> except = {};  // of the attributes not these; `only` wins where both are given
  std::vector<std::string_view> include = {};  // associations to add
  std::vector<std::string_view> methods = {};  // computed members to add

  bool shows(std::string_view attribute) const {
    if (!only.empty()) return contains(only, attribute);
    return !contains(except, attribute);
  }
  bool includes(std::string_view association) const { return contains(include, association); }
  bool calls(std::string_view method) const { return contains(methods, method); }
  bool is_empty() const { return only.empty() && except.empty() && include.empty() && methods.empty(); }

 private:
  static bool contains(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }
};

struct EncodeOptions {
  Escape escape = Escape::html;
  InvalidUtf8 invalid_utf8 = InvalidUtf8::error;
  NonFinite non_finite = NonFinite::null;
  // Reaches the first level: the value if it is an object, or the objects of which it is an array; never what
  // these hold.
  Selection members = {};
  std::size_t reserve = 0;  // bytes that the document is expected to need
};

}  // namespace tessera::json
