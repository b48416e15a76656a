#include "config/describe.h"
#include "config/load.h"
#include "config/value_text.h"

namespace tessera::config {

std::string to_toml(const Settings& settings) {
  std::string out;
  const auto write = [&out](const Field& field, const auto& value) {
    if (is_unset(value)) return;
    out.append(field.name).append(" = ").append(to_toml_value(masked(value, field.secret))).append("\n");
  };
  for_each_section(settings, [&](std::string_view name, const auto& section) {
    out.append(out.empty() ? "[" : "\n[").append(name).append("]\n");
    describe(write, section);
  });
  for (const auto& route : settings.routes) {
    out.append("\n[[route]]\n");
    describe(write, route);
  }
  return out;
}

}  // namespace tessera::config
