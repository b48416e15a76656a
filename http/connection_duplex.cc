#include "http/connection_duplex.h"

#include <algorithm>
#include <cstring>

namespace tessera::http {

Task<Result<std::size_t>> ConnectionDuplex::read_some(std::span<char> buffer, Deadline deadline) {
  auto& held = connection_.buffer();
  if (held.empty()) co_return co_await connection_.read_some(buffer, deadline);
  const auto count = std::min(buffer.size(), held.size());
  std::memcpy(buffer.data(), held.bytes().data(), count);
  held.consume(count);
  co_return count;
}

Task<Result<void>> ConnectionDuplex::write(std::string_view bytes, Deadline deadline) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  WriteLimits limits;
  limits.deadline = deadline;
  const std::span<iovec> pieces(&piece, 1);
  const auto written = co_await connection_.write(pieces, limits);
  if (written.error) co_return written.error;
  co_return Result<void>();
}

}  // namespace tessera::http
