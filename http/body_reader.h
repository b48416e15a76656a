// Reads one message body from a connection, by its framing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "http/chunked.h"
#include "http/connection.h"
#include "http/head_parser.h"
#include "http/task.h"

namespace tessera::http {

// Uses the connection, which outlives it. Bytes behind the body's end stay in the connection's buffer.
class BodyReader {
 public:
  BodyReader(Connection& connection, Framing framing);

  // Empty for a framing that tells the length only at the end.
  std::optional<std::uint64_t> length() const;
  // Bytes that have not been read, when the framing tells.
  std::optional<std::uint64_t> remaining() const;
  bool complete() const { return complete_; }
  // As BodySource::trailers.
  const Fields* trailers() const { return decoder_ ? decoder_->trailers() : nullptr; }

  // As BodySource::read_some. Error::incomplete_body when the peer closes too early.
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline);

 private:
  Task<Result<std::size_t>> read_plain(std::span<char> space, Deadline deadline);
  Task<Result<std::size_t>> read_chunked(std::span<char> space, Deadline deadline);

  Connection& connection_;
  Framing framing_;
  std::uint64_t remaining_ = 0;  // Kind::length only
  std::unique_ptr<ChunkedDecoder> decoder_;
  bool complete_ = false;
};

}  // namespace tessera::http
