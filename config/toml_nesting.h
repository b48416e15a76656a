// How deep a TOML text nests, found without building anything. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::config {

// Levels of brackets, and parts of one dotted key; no file of settings comes near it.
inline constexpr unsigned kDeepest = 64;

// The line (from 1) on which the text nests deeper than kDeepest; nullopt: nowhere. Parsers build and destroy
// a table in a table by recursion, so that a text of 50,000 levels would exhaust the stack. What is no TOML
// may be judged either way.
std::optional<std::uint32_t> line_that_nests_too_deep(std::string_view text);

}  // namespace tessera::config
