// Faults as texts, and searches in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"

namespace tessera::config {

inline std::vector<std::string> texts_of(const Faults& faults) {
  std::vector<std::string> texts;
  for (const auto& fault : faults) texts.push_back(to_string(fault));
  return texts;
}

// The faults of a file; none when it is fine.
inline std::vector<std::string> faults_of(std::string_view toml) {
  const auto settings = parse_toml(toml, "test.toml");
  return settings ? std::vector<std::string>() : texts_of(settings.error());
}

// The faults of a file, once it could be read, in its values and their relations.
inline std::vector<std::string> all_faults_of(std::string_view toml) {
  const auto settings = parse_toml(toml, "test.toml");
  return settings ? texts_of(validate(*settings, "test.toml")) : texts_of(settings.error());
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace tessera::config
