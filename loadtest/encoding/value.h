// A document in memory, with the names of its members as texts or as interned keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "json/key.h"

namespace tessera::loadtest {

template <class Name>
struct Value;

// In the order of the document.
template <class Name>
struct Members : std::vector<std::pair<Name, Value<Name>>> {
  using mapped_type = Value<Name>;  // what tells json::encode that this is an object
};

template <class Name>
struct Value {
  using Elements = std::vector<Value>;
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Elements,
               Members<Name>>
      data;

  bool operator==(const Value&) const = default;
};

template <class Name>
const auto& as_json(const Value<Name>& value) {
  return value.data;
}

using Tree = Value<std::string>;
using InternedTree = Value<std::reference_wrapper<const json::InternedKey>>;

// Throws std::runtime_error when the text is no JSON document.
Tree parse(std::string_view document);

// The same document with its names in `table`, which outlives it.
InternedTree intern(const Tree& tree, json::KeyTable& table);

}  // namespace tessera::loadtest
