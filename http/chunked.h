// Decoding of the chunked transfer coding (RFC 9112 7.1). Pure: bytes in, bytes out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "http/error.h"

namespace tessera::http {

class ChunkedDecoder {
 public:
  ChunkedDecoder();
  ~ChunkedDecoder();
  ChunkedDecoder(const ChunkedDecoder&) = delete;
  ChunkedDecoder& operator=(const ChunkedDecoder&) = delete;

  struct Step {
    std::size_t consumed = 0;  // bytes of `in` that are done with; the rest is to be given again, with more
    std::size_t produced = 0;  // bytes written to `out`
  };
  // Neither consumed nor produced: more input is needed. Trailer fields are read and dropped.
  // Error::malformed_message: the coding is broken, or an extension is too long or holds a control byte.
  Result<Step> decode(std::string_view in, std::span<char> out);
  bool done() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace tessera::http
