#include "http/request_body.h"

#include <algorithm>
#include <string_view>

namespace tessera::http {

RequestBody::RequestBody(Connection& connection, const ParsedRequest& request,
                         std::chrono::milliseconds pause, std::uint64_t limit)
    : connection_(connection),
      reader_(connection, request.framing),
      pause_(pause),
      limit_(limit),
      awaits_continue_(request.expects_continue) {}

Task<Result<std::size_t>> RequestBody::read_some(std::span<char> space, Deadline deadline) {
  deadline = std::min(deadline, std::chrono::steady_clock::now() + pause_);
  if (awaits_continue_ && !response_begun_) {
    awaits_continue_ = false;
    // A client that has begun to send does not wait any more.
    if (connection_.buffer().empty()) {
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      iovec piece{const_cast<char*>(kContinue.data()), kContinue.size()};
      WriteLimits limits;
      limits.deadline = deadline;
      const std::span<iovec> pieces(&piece, 1);
      const auto written = co_await connection_.write(pieces, limits);
      if (written.error) co_return written.error;
    }
  }
  const auto read = co_await reader_.read_some(space, deadline);
  if (read) total_ += *read;
  if (limit_ != 0 && total_ > limit_) co_return Error::body_too_large;
  co_return read;
}

}  // namespace tessera::http
