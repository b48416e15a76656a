// Which types json::encode knows by themselves, as concepts. A type belongs to the first that holds, in the
// order of Encoder::value (encode.h).
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "json/encode_options.h"
#include "json/key.h"
#include "json/object.h"
#include "json/put_number.h"

namespace tessera::json {

// The customization point. `as_json(value)` or `as_json(value, selection)` is declared in the namespace of
// the value's type and returns anything that can be encoded, of another type. The second form is given the
// options that reach the value (an empty Selection below the first level) and has them all to itself: they
// are not applied to what it returns.
template <class T>
concept HasAsJson = requires(const T& value) {
  as_json(value);
};
template <class T>
concept HasSelectiveAsJson = requires(const T& value, const Selection& selection) {
  as_json(value, selection);
};

namespace detail {

template <class T, template <class...> class Template>
inline constexpr bool kIsA = false;
template <template <class...> class Template, class... Arguments>
inline constexpr bool kIsA<Template<Arguments...>, Template> = true;

template <class T>
concept Null =
    std::same_as<T, std::nullptr_t> || std::same_as<T, std::monostate> || std::same_as<T, std::nullopt_t>;

// Not characters: `char` is a text to one reader and a number to the next.
template <class T>
concept Integer = (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                   !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
                   !std::same_as<T, char32_t>)
#ifdef __SIZEOF_INT128__
                  || std::same_as<T, Int128> || std::same_as<T, UInt128>
#endif
    ;

template <class T>
concept Floating = std::same_as<T, double> || std::same_as<T, float>;

template <class T>
concept Name = std::same_as<T, Key> || std::same_as<T, InternedKey>;

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

// A value, or null where there is none.
template <class T>
concept Nullable = kIsA<T, std::optional> || kIsA<T, std::unique_ptr> || kIsA<T, std::shared_ptr> ||
    (std::is_pointer_v<T>&& std::is_object_v<std::remove_pointer_t<T>>);

template <class T>
concept Tuple = kIsA<T, std::tuple> || kIsA<T, std::pair>;

template <class T>
concept Range = std::ranges::input_range<const T> &&
    !std::same_as<std::remove_cvref_t<std::ranges::range_reference_t<const T>>, T>;

// A range of pairs whose type says that it is a map: std::map, std::unordered_map, Boost's, and any other
// range with a mapped_type.
template <class T>
concept Map = Range<T> && requires {
  typename T::mapped_type;
};

// A key that is turned into a string by a function of its own namespace.
template <class T>
concept HasToString = requires(const T& key) {
  { to_string(key) } -> Text;
};

}  // namespace detail
}  // namespace tessera::json
