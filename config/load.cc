#include "config/load.h"

#include <stdexcept>
#include <utility>

#include "config/environment.h"
#include "config/toml_reader.h"
#include "config/validation.h"
#include "config/value_text.h"

namespace tessera::config {

std::string to_string(const Fault& fault) {
  return printable(fault.where + ": " + fault.text);
}

boost::system::result<Settings, Faults> parse_toml(std::string_view text, std::string_view file_name) {
  Settings settings;
  SourceMap sources(file_name);
  auto faults = read_toml(text, file_name, settings, sources);
  for (auto& fault : check_fields(settings, sources)) faults.push_back(std::move(fault));
  if (!faults.empty()) return faults;
  return settings;
}

Faults apply_environment(Settings& settings, const Environment& environment) {
  SourceMap sources("environment");
  return read_environment(environment, settings, sources);
}

Faults validate(const Settings& settings, std::string_view file_name) {
  const SourceMap sources(file_name);
  auto faults = check_fields(settings, sources);
  for (auto& fault : check_clashes(settings, sources)) faults.push_back(std::move(fault));
  return faults;
}

void throw_exception_from_error(const Faults& faults, const boost::source_location&) {
  std::string text;
  for (const auto& fault : faults) text += (text.empty() ? "" : "\n") + to_string(fault);
  throw std::invalid_argument(text);
}

}  // namespace tessera::config
