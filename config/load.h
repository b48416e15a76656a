// Settings from the command line, the environment and a TOML file: flag beats environment beats file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/result.hpp>

#include "config/settings.h"

namespace tessera::config {

// One thing that is wrong, as a sentence with the way to mend it.
struct Fault {
  std::string where;  // "tessera.toml:12", "environment TESSERA_REDIS_TTL", "--l1"
  std::string text;
};
std::string to_string(const Fault& fault);  // one line, without control characters

using Faults = std::vector<Fault>;
// What result<..., Faults>::value() throws when there is none: a std::invalid_argument with every fault.
[[noreturn]] void throw_exception_from_error(const Faults& faults, const boost::source_location& location);

using Environment = std::map<std::string, std::string>;

// The configuration that is built in: the course demo.
std::string_view default_toml();

// Parses TOML text on top of the defaults. Every fault is reported, not just the first.
boost::system::result<Settings, Faults> parse_toml(std::string_view text, std::string_view file_name);
// Applies TESSERA_<SECTION>_<NAME>; names that start with TESSERA_ and are no setting are faults.
Faults apply_environment(Settings& settings, const Environment& environment);
// Ranges, clashes, pointers, templates, addresses.
Faults validate(const Settings& settings, std::string_view file_name);

// The effective configuration as TOML (what --check prints); secrets are masked.
std::string to_toml(const Settings& settings);
// Every setting with type, default, unit and meaning (what --help-config prints).
std::string help_text();

struct CommandLine {
  enum class Action { run, check, help, help_config, version, fail };
  Action action = Action::run;
  std::string
      output;  // of help, help_config, version and check (standard output), or of fail (standard error)
  Settings settings;
  Faults faults;  // what `output` of fail lists
};
// Never throws. Faults of all sources are reported together in `output` with Action::fail.
CommandLine read_command_line(int argc, const char* const* argv, const Environment& environment);

}  // namespace tessera::config
