// Runs what a fuzzer runs over its corpus, and over copies of it with a few bytes changed (always the same
// ones).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::corpus {

// The files of tests/corpus/NAME, by name.
std::vector<std::string> inputs(std::string_view name);

// How many inputs it was run on.
std::size_t replay(std::string_view name, void (*fuzz)(std::string_view input));

}  // namespace tessera::corpus
