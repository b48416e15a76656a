// An object whose members are listed where it is described, as as_json returns it: nothing is copied into a
// tree, and what is not asked for is not computed.
//
//   auto as_json(const Course& course) {
//     return json::object(json::member(kId, course.id), json::member(kTitle, course.title),
//                         json::association(kSlides, [&]() -> const auto& { return course.slides; }),
//                         json::method("words", [&] { return count_words(course.title); }));
//   }
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "json/key.h"

namespace tessera::json {

enum class MemberKind : std::uint8_t {
  attribute,    // shown unless left out by `only` or `except`
  association,  // shown when `include` names it
  method,       // shown when `methods` names it
};

// Name is Key, const InternedKey& or std::string_view. Source is the value (of an lvalue a reference to it)
// for an attribute, else a function that gives it.
template <MemberKind kKind, class Name, class Source>
struct Member {
  Name name;
  Source source;
};

template <class... Members>
struct Object {
  std::tuple<Members...> members;
};

namespace detail {

inline Key stored_name(const Key& name) {
  return name;
}
inline const InternedKey& stored_name(const InternedKey& name) {
  return name;
}
inline std::string_view stored_name(std::string_view name) {
  return name;
}

template <class Name>
using StoredName = decltype(stored_name(std::declval<const Name&>()));

}  // namespace detail

// The value of an lvalue is referred to and outlives the object; an rvalue is moved into it.
template <class Name, class Value>
auto member(const Name& name, Value&& value) {
  return Member<MemberKind::attribute, detail::StoredName<Name>, Value>{detail::stored_name(name),
                                                                        std::forward<Value>(value)};
}

template <class Name, std::invocable Function>
auto association(const Name& name, Function function) {
  return Member<MemberKind::association, detail::StoredName<Name>, Function>{detail::stored_name(name),
                                                                             std::move(function)};
}

template <class Name, std::invocable Function>
auto method(const Name& name, Function function) {
  return Member<MemberKind::method, detail::StoredName<Name>, Function>{detail::stored_name(name),
                                                                        std::move(function)};
}

// Members appear in this order.
template <class... Members>
Object<Members...> object(Members... members) {
  return {{std::move(members)...}};
}

}  // namespace tessera::json
