// A request's body as a handler reads it.
#pragma once

#include <chrono>

#include "http/body_reader.h"
#include "http/message.h"

namespace tessera::http {

class RequestBody final : public BodySource {
 public:
  // `pause`: the longest wait for the next bytes, whatever deadline the reader brings. `limit`: bytes of it;
  // more is Error::body_too_large; 0: any number.
  RequestBody(Connection& connection, const ParsedRequest& request, std::chrono::milliseconds pause,
              std::uint64_t limit);

  std::optional<std::uint64_t> length() const override { return reader_.length(); }
  // The first call answers Expect: 100-continue (RFC 9110 10.1.1).
  Task<Result<std::size_t>> read_some(std::span<char> space, Deadline deadline) override;

  const Fields* trailers() const override { return reader_.trailers(); }

  bool complete() const { return reader_.complete(); }
  std::optional<std::uint64_t> remaining() const { return reader_.remaining(); }
  // The client still waits for the 100 before it sends anything.
  bool awaits_continue() const { return awaits_continue_; }
  // From now on a 100 would come behind the final response's head.
  void response_begins() { response_begun_ = true; }

 private:
  Connection& connection_;
  BodyReader reader_;
  std::chrono::milliseconds pause_;
  std::uint64_t limit_;
  std::uint64_t total_ = 0;
  bool awaits_continue_;
  bool response_begun_ = false;
};

}  // namespace tessera::http
