// Any value as JSON, in a single pass straight into a buffer: no tree in between, nothing escaped twice.
//
//   json::encode(courses, {.members = {.only = {"id", "title"}}})
//
// | value | JSON |
// | --- | --- |
// | nullptr, nullopt, monostate, an empty optional or pointer | null |
// | bool; integers up to 128 bits; float and double | true, false; exact; see put_number.h |
// | what converts to std::string_view; Key and InternedKey | a string |
// | maps | an object; keys are texts, Keys, numbers, bool, or have as_json or to_string |
// | Object (object.h) | an object |
// | other ranges, tuples and pairs | an array |
// | optional, pointer, reference_wrapper, variant | what it holds |
// | everything else | what its as_json returns (value_kinds.h) |
//
// Nested at most kMaxDepth deep. Pure; safe from any thread.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "json/encode_options.h"
#include "json/error.h"
#include "json/object.h"
#include "json/put_number.h"
#include "json/value_kinds.h"
#include "json/writer.h"

namespace tessera::json {

// The errors are not_utf8, not_finite and too_deep.
template <class T>
Result<std::string> encode(const T& value, const EncodeOptions& options = {});

// The same as one value of a document that the caller writes; faults show in the writer.
template <class T>
void write_value(Writer& writer, const T& value, const Selection& selection = {});

namespace detail {

template <class T>
inline constexpr bool kUnknown = false;

// Hands the text of a member's name to `use`: as a Key or InternedKey where it is one.
template <class T, class Use>
void with_name(const T& key, Use use) {
  if constexpr (Name<T>) {
    use(key);
  } else if constexpr (kIsA<T, std::reference_wrapper>) {
    with_name(key.get(), use);
  } else if constexpr (HasAsJson<T>) {
    with_name(as_json(key), use);
  } else if constexpr (Text<T>) {
    use(std::string_view(key));
  } else if constexpr (std::same_as<T, bool>) {
    use(std::string_view(key ? "true" : "false"));
  } else if constexpr (Integer<T> || Floating<T>) {
    std::array<char, kNumberRoom> number;
    if constexpr (Floating<T>) {  // a name is a text: it may say what a number cannot
      if (std::isnan(key)) return use(std::string_view("NaN"));
      if (std::isinf(key)) return use(std::string_view(key < 0 ? "-Infinity" : "Infinity"));
    }
    const char* const end = put_number(number.data(), key);
    use(std::string_view(number.data(), static_cast<std::size_t>(end - number.data())));
  } else if constexpr (HasToString<T>) {
    const auto& text = to_string(key);
    use(std::string_view(text));
  } else {
    static_assert(kUnknown<T>, "this key needs as_json or to_string in its namespace");
  }
}

template <Name T>
std::string_view name_of(const T& key) {
  return key.name();
}
inline std::string_view name_of(std::string_view key) {
  return key;
}

// Invariant: once the writer is invalid nothing more is written, so that a value without an end has one.
class Encoder {
 public:
  explicit Encoder(Writer& writer) : writer_(writer) {}

  // `selection` is null below the first level.
  template <class T>
  void value(const T& value, const Selection* selection);

 private:
  template <class T>
  void scalar(const T& value);
  template <class T>
  void custom(const T& value, const Selection* selection);
  template <class T>
  void array(const T& elements, const Selection* selection);
  template <class T>
  void tuple(const T& elements, const Selection* selection);
  template <class T>
  void map(const T& members, const Selection* selection);
  template <class... Members>
  void object(const Object<Members...>& object, const Selection* selection);
  template <MemberKind kKind, class Name, class Source>
  void member(const Member<kKind, Name, Source>& member, const Selection* selection);

  bool descend() {
    if (++depth_ > kMaxDepth) writer_.refuse(Error::too_deep);
    return writer_.is_valid();
  }

  Writer& writer_;
  std::size_t depth_ = 0;
};

template <class T>
void Encoder::value(const T& value, const Selection* selection) {
  if (!writer_.is_valid()) return;
  if constexpr (HasAsJson<T> || HasSelectiveAsJson<T>) {
    custom(value, selection);
  } else if constexpr (Null<T> || std::same_as<T, bool> || Integer<T> || Floating<T> || Name<T> || Text<T>) {
    scalar(value);
  } else if constexpr (Nullable<T>) {
    if (!value) return writer_.null();
    this->value(*value, selection);
  } else if constexpr (kIsA<T, std::reference_wrapper>) {
    this->value(value.get(), selection);
  } else if constexpr (kIsA<T, std::variant>) {
    std::visit([&](const auto& held) { this->value(held, selection); }, value);
  } else if constexpr (kIsA<T, Object>) {
    object(value, selection);
  } else if constexpr (Map<T>) {
    map(value, selection);
  } else if constexpr (Range<T>) {
    array(value, selection);
  } else if constexpr (Tuple<T>) {
    tuple(value, selection);
  } else {
    static_assert(kUnknown<T>, "this type needs as_json in its namespace (json/value_kinds.h)");
  }
}

template <class T>
void Encoder::scalar(const T& value) {
  if constexpr (Null<T>) {
    writer_.null();
  } else if constexpr (std::same_as<T, bool>) {
    writer_.boolean(value);
  } else if constexpr (Integer<T> || Floating<T>) {
    writer_.number(value);
  } else if constexpr (Name<T>) {
    writer_.string(value);
  } else {
    if constexpr (std::is_pointer_v<T>) {  // a C string
      if (value == nullptr) return writer_.null();
    }
    writer_.string(std::string_view(value));
  }
}

template <class T>
void Encoder::custom(const T& value, const Selection* selection) {
  if constexpr (HasSelectiveAsJson<T>) {
    static const Selection kNothing;
    const auto& json = as_json(value, selection == nullptr ? kNothing : *selection);
    static_assert(!std::same_as<std::remove_cvref_t<decltype(json)>, T>, "as_json gives another type");
    this->value(json, nullptr);
  } else {
    const auto& json = as_json(value);
    static_assert(!std::same_as<std::remove_cvref_t<decltype(json)>, T>, "as_json gives another type");
    this->value(json, selection);
  }
}

template <class T>
void Encoder::array(const T& elements, const Selection* selection) {
  if (!descend()) return;
  writer_.begin_array();
  for (const auto& element : elements) {
    if constexpr (std::same_as<std::ranges::range_value_t<const T>, bool>) {
      value(static_cast<bool>(element), selection);  // std::vector<bool> has none to refer to
    } else {
      value(element, selection);
    }
  }
  writer_.end_array();
  --depth_;
}

template <class T>
void Encoder::tuple(const T& elements, const Selection* selection) {
  if (!descend()) return;
  writer_.begin_array();
  std::apply([&](const auto&... element) { (value(element, selection), ...); }, elements);
  writer_.end_array();
  --depth_;
}

template <class T>
void Encoder::map(const T& members, const Selection* selection) {
  if (!descend()) return;
  writer_.begin_object();
  for (const auto& [key, mapped] : members) {
    bool is_shown = true;
    with_name(key, [&](const auto& name) {
      is_shown = selection == nullptr || selection->shows(name_of(name));
      if (is_shown) writer_.key(name);
    });
    if (is_shown) value(mapped, nullptr);
  }
  writer_.end_object();
  --depth_;
}

template <class... Members>
void Encoder::object(const Object<Members...>& object, const Selection* selection) {
  if (!descend()) return;
  writer_.begin_object();
  std::apply([&](const auto&... each) { (member(each, selection), ...); }, object.members);
  writer_.end_object();
  --depth_;
}

template <MemberKind kKind, class Name, class Source>
void Encoder::member(const Member<kKind, Name, Source>& member, const Selection* selection) {
  const std::string_view name = name_of(member.name);
  if constexpr (kKind == MemberKind::attribute) {
    if (selection != nullptr && !selection->shows(name)) return;
    writer_.key(member.name);
    value(member.source, nullptr);
  } else {
    if (selection == nullptr) return;
    const bool is_wanted =
        kKind == MemberKind::association ? selection->includes(name) : selection->calls(name);
    if (!is_wanted) return;
    writer_.key(member.name);
    value(member.source(), nullptr);
  }
}

}  // namespace detail

template <class T>
void write_value(Writer& writer, const T& value, const Selection& selection) {
  detail::Encoder(writer).value(value, selection.is_empty() ? nullptr : &selection);
}

template <class T>
Result<std::string> encode(const T& value, const EncodeOptions& options) {
  Writer writer(options.escape, options.invalid_utf8, options.non_finite);
  writer.reserve(options.reserve);
  write_value(writer, value, options.members);
  if (!writer.is_valid()) return writer.fault();
  return writer.take();
}

}  // namespace tessera::json
