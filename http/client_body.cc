#include "http/client_body.h"

#include <utility>

namespace tessera::http {

ClientBody::ClientBody(std::unique_ptr<Connection> connection, Framing framing,
                       std::optional<std::uint64_t> declared_length, GiveBack give_back)
    : connection_(std::move(connection)),
      reader_(*connection_, framing),
      declared_length_(declared_length),
      give_back_(std::move(give_back)) {
  if (reader_.complete()) end();
}

std::optional<std::uint64_t> ClientBody::length() const {
  return declared_length_ ? declared_length_ : reader_.length();
}

Task<Result<std::size_t>> ClientBody::read_some(std::span<char> space, Deadline deadline) {
  if (failure_) co_return failure_;
  if (!connection_) co_return 0u;
  const auto read = co_await reader_.read_some(space, deadline);
  if (!read) {
    failure_ = read.error();
    connection_.reset();
  } else if (reader_.complete()) {
    end();
  }
  co_return read;
}

void ClientBody::end() {
  auto connection = std::move(connection_);
  // Bytes behind the body belong to no request of ours: such a connection is not used again.
  if (give_back_ && connection->buffer().empty()) give_back_(std::move(connection));
}

}  // namespace tessera::http
