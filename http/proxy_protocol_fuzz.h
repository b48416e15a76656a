// What the fuzzer runs, and the tests over its corpus. Ends the process when something does not hold.
#pragma once

#include <string_view>

namespace tessera::http {

void fuzz_proxy_protocol(std::string_view input);

}  // namespace tessera::http
