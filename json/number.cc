#include "json/number.h"

#include <charconv>
#include <system_error>

namespace tessera::json {
namespace {

template <class T>
Result<Number> read_as(std::string_view token, Result<Number> otherwise) {
  T value{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size()) return otherwise;
  return Number(value);
}

}  // namespace

Result<Number> read_number(std::string_view token) {
  if (token == "-0" || token.find_first_of(".eE") != std::string_view::npos) {
    return read_as<double>(token, Error::number_not_kept);
  }
  if (token.front() == '-') return read_as<std::int64_t>(token, Number(LargeInteger{}));
  return read_as<std::uint64_t>(token, Number(LargeInteger{}));
}

}  // namespace tessera::json
