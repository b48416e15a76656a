// What the fuzzer runs, and the tests over its corpus. Ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::json {

void fuzz_escape(std::string_view input);

}  // namespace tessera::json
