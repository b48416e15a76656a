#include "proxy/reload.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/describe.h"
#include "config/value_text.h"

namespace tessera::proxy {
namespace {

using Path = std::pair<std::string_view, std::string_view>;
constexpr std::array<Path, 7> kFixed{{{"listen", "address"},
                                      {"listen", "threads"},
                                      {"listen", "busy_poll"},
                                      {"listen", "handover"},
                                      {"tls", "address"},
                                      {"admin", "address"},
                                      {"memory", "l1"}}};

// The fixed settings as "name", "value", in the order of the description.
std::vector<std::pair<std::string, std::string>> fixed(const config::Settings& settings) {
  std::vector<std::pair<std::string, std::string>> found;
  config::for_each_setting(settings, [&](std::string_view section, const config::Field& field,
                                         const auto& value) {
    if (std::find(kFixed.begin(), kFixed.end(), Path(section, field.name)) == kFixed.end()) return;
    found.emplace_back(std::string(section) + "." + std::string(field.name), config::to_toml_value(value));
  });
  return found;
}

}  // namespace

std::vector<std::string> needs_restart(const config::Settings& running, const config::Settings& wanted) {
  const auto before = fixed(running);
  const auto after = fixed(wanted);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].second == after[i].second) continue;
    sentences.push_back(before[i].first + " = " + after[i].second + " needs a restart; running is " +
                        before[i].second);
  }
  return sentences;
}

}  // namespace tessera::proxy
