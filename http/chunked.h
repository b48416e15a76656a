// Decoding of the chunked transfer coding (RFC 9112 7.1). Pure: bytes in, bytes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "http/error.h"
#include "http/fields.h"

namespace tessera::http {

// As strict as the grammar: every line ends with CRLF, a size has 15 hexadecimal digits at most (60 bits),
// an extension is well-formed, has no control byte and 256 bytes at most, a trailer field is on one line. A
// byte that cannot be right is refused when it comes, not at the end of its line.
class ChunkedDecoder {
 public:
  struct Step {
    std::size_t consumed = 0;  // bytes of `in` that are done with; the rest is to be given again, with more
    std::size_t produced = 0;  // bytes written to `out`
  };
  // Neither consumed nor produced: more input is needed. Error::malformed_message: the coding is broken, or
  // the trailer section has more than 16 KiB.
  Result<Step> decode(std::string_view in, std::span<char> out);
  bool done() const { return state_ == State::done; }
  // The trailer fields that may be relayed (may_be_trailer), once done; null: none came.
  const Fields* trailers() const { return trailers_.get(); }

 private:
  enum class State : unsigned char { size, data, data_end, trailer, done };
  // Consumes what `in` begins with: how many bytes, 0 when more are needed.
  Result<std::size_t> read_size(std::string_view in);
  Result<std::size_t> read_data_end(std::string_view in);
  Result<std::size_t> read_trailer(std::string_view in);

  State state_ = State::size;
  std::uint64_t left_ = 0;  // of the chunk's data
  std::size_t trailer_bytes_ = 0;
  std::unique_ptr<Fields> trailers_;
};

}  // namespace tessera::http
