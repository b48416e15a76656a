// The body of a client's response; it holds the connection until the body's end.
#pragma once

#include <optional>

#include "http/body_reader.h"
#include "http/connection_pool.h"
#include "http/message.h"

namespace tessera::http {

class ClientBody final : public BodySource {
 public:
  // `declared_length` is what Content-Length said. A connection that is not reusable is closed at the end.
  ClientBody(Lease lease, Framing framing, std::optional<std::uint64_t> declared_length, bool reusable);

  std::optional<std::uint64_t> length() const override;
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline) override;
  const Fields* trailers() const override { return reader_.trailers(); }

 private:
  void end();

  std::optional<Lease> lease_;  // unset after the end, and after an error
  BodyReader reader_;
  std::optional<std::uint64_t> declared_length_;
  bool reusable_;
  boost::system::error_code failure_;
};

}  // namespace tessera::http
