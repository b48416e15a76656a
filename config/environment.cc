#include "config/environment.h"

#include <algorithm>

#include "config/describe.h"
#include "config/value_text.h"

namespace tessera::config {
namespace {

constexpr std::string_view kPrefix = "TESSERA_";

}  // namespace

std::string environment_name(std::string_view section, std::string_view name) {
  std::string out(kPrefix);
  out.append(section).append("_").append(name);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

Faults read_environment(const Environment& environment, Settings& settings, SourceMap& sources) {
  Faults faults;
  Texts known;
  for_each_setting(settings, [&](std::string_view section, const Field& field, auto& value) {
    const auto name = environment_name(section, field.name);
    known.push_back(name);
    const auto given = environment.find(name);
    if (given == environment.end()) return;
    const auto path = setting_path(section, field.name);
    const auto where = "environment " + name;
    sources.note(path, where);
    const auto complaint = read_text(given->second, value);
    if (complaint.empty()) return;
    sources.spoil(path);
    faults.push_back({where, "\"" + masked(given->second, field.secret) + "\" " + complaint});
  });
  for (auto given = environment.lower_bound(std::string(kPrefix));
       given != environment.end() && given->first.starts_with(kPrefix); ++given) {
    if (std::find(known.begin(), known.end(), given->first) != known.end()) continue;
    const auto guess = nearest(given->first.substr(kPrefix.size()), [&] {
      Texts names;
      for (const auto& name : known) names.push_back(name.substr(kPrefix.size()));
      return names;
    }());
    auto mend =
        guess.empty() ? "--help-config lists them" : "did you mean " + std::string(kPrefix) + guess + "?";
    if (given->first.starts_with("TESSERA_ROUTE")) mend = "routes are set in the file only";
    faults.push_back({"environment " + given->first, "there is no such setting; " + mend});
  }
  return faults;
}

}  // namespace tessera::config
