#include "proxy/route_digest.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cache/digest.h"
#include "config/describe.h"
#include "config/value_text.h"

namespace tessera::proxy {
namespace {

constexpr std::size_t kDigits = 12;  // short enough for a std::string without an allocation
constexpr std::array<std::string_view, 5> kExempt{"mode", "settle", "fragment_max_age", "stale_if_error",
                                                  "verify"};

}  // namespace

std::string route_digest(const config::RouteSettings& settings) {
  cache::DigestBuilder builder;
  const auto add = [&](const config::Field& field, const auto& value) {
    if (std::find(kExempt.begin(), kExempt.end(), field.name) != kExempt.end()) return;
    builder.add_part(field.name);
    builder.add_part(config::is_unset(value) ? "unset" : config::to_toml_value(value));
  };
  config::describe(add, settings);
  return builder.finish().hex().substr(0, kDigits);
}

}  // namespace tessera::proxy
