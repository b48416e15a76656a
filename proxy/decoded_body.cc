#include "proxy/decoded_body.h"

#include "http/content_coding.h"

namespace tessera::proxy {

http::Result<std::string> decoded_body(const http::Fields& fields, std::string body, std::size_t limit) {
  const std::string codings = fields.joined("content-encoding");
  const auto names = http::list_elements(codings);
  // Codings are undone from the last to the first (RFC 9110 8.4).
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (http::equal_ignoring_case(*name, "identity")) continue;
    if (!http::equal_ignoring_case(*name, "gzip") && !http::equal_ignoring_case(*name, "x-gzip") &&
        !http::equal_ignoring_case(*name, "deflate")) {
      return http::make_error_code(http::Error::bad_coding);
    }
    auto plain = http::decode_gzip(body, limit);
    if (!plain) return plain.error();
    body = std::move(*plain);
  }
  return body;
}

}  // namespace tessera::proxy
