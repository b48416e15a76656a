// Any bytes as a request head and as a response head: no crash, and what is accepted can be written again
// without changing its framing.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/head_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::http;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto end = find_head_end(bytes, 0);
  if (end == kNoHeadEnd) return 0;
  ParsedRequest request;
  if (!parse_request_head(bytes.substr(0, end), request)) {
    const auto& fields = request.head.fields;
    const bool both = fields.has("Content-Length") && fields.has("Transfer-Encoding");
    if (both || fields.count("Host") > 1 || request.head.target.empty()) std::abort();
    for (const auto& line : fields) {
      Fields again;
      if (!again.add(line.name, line.value)) std::abort();
    }
  }
  ParsedResponse response;
  parse_response_head(bytes.substr(0, end), size % 2 == 0, response);
  return 0;
}
