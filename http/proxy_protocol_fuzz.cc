// Any bytes as a PROXY header: a verdict depends on the header's own bytes alone, is never taken back by
// those that come later, and an address is one that a socket may have.
#include "http/proxy_protocol_fuzz.h"

#include <cstdlib>

#include "config/network.h"
#include "http/proxy_protocol.h"

namespace tessera::http {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

void fuzz_proxy_protocol(std::string_view input) {
  ProxyHeader whole;
  const auto verdict = parse_proxy_header(input, whole);
  if (verdict == ProxyVerdict::incomplete) require(input.size() < kLongestProxyHeader);
  if (verdict == ProxyVerdict::complete) {
    require(whole.size > 0 && whole.size <= input.size() && whole.size <= kLongestProxyHeader);
    require(whole.address.empty() || config::parse_ip(whole.address).has_value());
  }
  for (std::size_t size = 0; size <= input.size() && size <= 2 * kLongestProxyHeader; ++size) {
    ProxyHeader part;
    const auto so_far = parse_proxy_header(input.substr(0, size), part);
    if (verdict == ProxyVerdict::incomplete) require(so_far == ProxyVerdict::incomplete);
    if (verdict == ProxyVerdict::invalid) require(so_far != ProxyVerdict::complete);
    if (verdict != ProxyVerdict::complete) continue;
    require((so_far == ProxyVerdict::complete) == (size >= whole.size));
    require(so_far != ProxyVerdict::invalid);
    if (so_far == ProxyVerdict::complete) require(part.size == whole.size && part.address == whole.address);
  }
}

}  // namespace tessera::http

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tessera::http::fuzz_proxy_protocol({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
