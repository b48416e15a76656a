// Any bytes as a request head and as a response head: no crash, and what is accepted can be written again
// without changing its framing.
#include "http/head_parser_fuzz.h"

#include <cstdint>
#include <cstdlib>

#include "http/head_parser.h"

namespace tessera::http {

void fuzz_heads(std::string_view bytes) {
  const auto end = find_head_end(bytes, 0);
  if (end == kNoHeadEnd) return;
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
  parse_response_head(bytes.substr(0, end), bytes.size() % 2 == 0, response);
}

}  // namespace tessera::http

#ifdef TESSERA_FUZZ
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::http::fuzz_heads({reinterpret_cast<const char*>(data), size});
  return 0;
}
#endif
