// What the fuzzer runs, and the tests over its corpus. Ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::cache::redis {

void fuzz_reply_reader(std::string_view input);

}  // namespace tessera::cache::redis
