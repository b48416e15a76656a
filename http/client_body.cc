#include "http/client_body.h"

#include <utility>

namespace tessera::http {

ClientBody::ClientBody(Lease lease, Framing framing, std::optional<std::uint64_t> declared_length,
                       bool reusable)
    : lease_(std::move(lease)),
      reader_(**lease_, framing),
      declared_length_(declared_length),
      reusable_(reusable) {
  if (reader_.complete()) end();
}

// Where no body follows (HEAD, 304) the one that a GET's would have; what is not declared is not known.
std::optional<std::uint64_t> ClientBody::length() const {
  return declared_length_;
}

Task<Result<std::size_t>> ClientBody::read_some(std::span<char> space, Deadline deadline) {
  if (failure_) co_return failure_;
  if (!lease_) co_return 0u;
  const auto read = co_await reader_.read_some(space, deadline);
  if (!read) {
    failure_ = read.error();
    lease_.reset();
  } else if (reader_.complete()) {
    end();
  }
  co_return read;
}

void ClientBody::end() {
  // Bytes behind the body belong to no request of ours: such a connection is not used again.
  if (reusable_ && (*lease_)->buffer().empty()) lease_->keep();
  lease_.reset();
}

}  // namespace tessera::http
