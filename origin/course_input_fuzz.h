// What the fuzzer runs, and the tests over its corpus. Ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::origin {

void fuzz_course_input(std::string_view input);

}  // namespace tessera::origin
