// A body of known length is read straight into the caller's memory once the buffer is empty; a chunked one
// passes through the buffer, because its chunk lines must be taken out.
#include "http/body_reader.h"

#include <algorithm>
#include <cstring>

namespace tessera::http {
namespace {

constexpr std::size_t kChunkedRead = 64 * 1024;
// A chunk line or a trailer section that has not ended after so many bytes is an attack.
constexpr std::size_t kMaxChunkLine = 16 * 1024;

}  // namespace

BodyReader::BodyReader(Connection& connection, Framing framing)
    : connection_(connection), framing_(framing), remaining_(framing.length) {
  complete_ = framing.kind == Framing::Kind::none;
}

std::optional<std::uint64_t> BodyReader::length() const {
  switch (framing_.kind) {
    case Framing::Kind::none:
      return 0;
    case Framing::Kind::length:
      return framing_.length;
    case Framing::Kind::chunked:
    case Framing::Kind::until_close:
      break;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> BodyReader::remaining() const {
  if (complete_) return 0;
  if (framing_.kind == Framing::Kind::length) return remaining_;
  return std::nullopt;
}

Task<Result<std::size_t>> BodyReader::read_some(std::span<char> space, Deadline deadline) {
  if (complete_ || space.empty()) co_return 0u;
  if (framing_.kind == Framing::Kind::chunked) co_return co_await read_chunked(space, deadline);
  co_return co_await read_plain(space, deadline);
}

Task<Result<std::size_t>> BodyReader::read_plain(std::span<char> space, Deadline deadline) {
  const bool known = framing_.kind == Framing::Kind::length;
  if (known && space.size() > remaining_) space = space.first(static_cast<std::size_t>(remaining_));
  auto& buffer = connection_.buffer();
  std::size_t count = 0;
  if (!buffer.empty()) {
    count = std::min(space.size(), buffer.size());
    std::memcpy(space.data(), buffer.bytes().data(), count);
    buffer.consume(count);
  } else {
    const auto read = co_await connection_.read_some(space, deadline);
    if (!read) co_return read.error();
    if (*read == 0 && known) co_return Error::incomplete_body;
    count = *read;
  }
  if (known) {
    remaining_ -= count;
    complete_ = remaining_ == 0;
  } else {
    complete_ = count == 0;
  }
  co_return count;
}

Task<Result<std::size_t>> BodyReader::read_chunked(std::span<char> space, Deadline deadline) {
  if (!decoder_) decoder_ = std::make_unique<ChunkedDecoder>();
  auto& buffer = connection_.buffer();
  for (;;) {
    const auto step = decoder_->decode(buffer.bytes(), space);
    if (!step) co_return step.error();
    buffer.consume(step->consumed);
    complete_ = decoder_->done();
    if (step->produced != 0 || complete_) co_return step->produced;
    if (buffer.size() > kMaxChunkLine) co_return Error::malformed_message;
    const auto read = co_await connection_.fill(kChunkedRead, deadline);
    if (!read) co_return read.error();
    if (*read == 0) co_return Error::incomplete_body;
  }
}

}  // namespace tessera::http
