// The body of a client's response; it owns the connection until the body's end.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "http/body_reader.h"
#include "http/message.h"

namespace tessera::http {

class ClientBody final : public BodySource {
 public:
  // Called with the connection at the complete end of the body.
  using GiveBack = std::function<void(std::unique_ptr<Connection>)>;

  // `give_back` may be empty: the connection is closed then. `declared_length` is what Content-Length said.
  ClientBody(std::unique_ptr<Connection> connection, Framing framing,
             std::optional<std::uint64_t> declared_length, GiveBack give_back);

  std::optional<std::uint64_t> length() const override;
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline) override;

 private:
  void end();

  std::unique_ptr<Connection> connection_;  // null after the end, and after an error
  BodyReader reader_;
  std::optional<std::uint64_t> declared_length_;
  GiveBack give_back_;
  boost::system::error_code failure_;
};

}  // namespace tessera::http
