// A response body that one client reads while a fetch that belongs to nobody is still receiving it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/signal.h"

namespace tessera::proxy {

// Producer and reader run on one event loop. Up to `limit` bytes are kept whole, whatever the reader's pace;
// a body that grows past it is no longer kept: then the producer waits for the reader, and memory stays
// bounded by the limit.
class GrowingBody {
 public:
  explicit GrowingBody(std::size_t limit);

  // What has been received; the whole body as long as is_whole().
  const std::string& bytes() const { return bytes_; }
  bool is_whole() const { return whole_; }
  // The whole body: a copy while a client still reads it.
  std::string take_document() { return reader_ ? bytes_ : std::move(bytes_); }

  void reserve(std::uint64_t length);
  void append(std::string_view bytes);
  void finish(bool complete);
  // Returns when the reader has caught up so far that more may be appended; false when nobody will read it.
  http::Task<bool> wait_for_room(http::Deadline deadline);

  // The reader's side, once; `length` is the body's length when it is known beforehand.
  static std::unique_ptr<http::BodySource> read(std::shared_ptr<GrowingBody> body,
                                                std::optional<std::uint64_t> length);

 private:
  class Reader;
  void wake();

  std::size_t limit_;
  std::string bytes_;
  std::size_t consumed_ = 0;  // of bytes_
  bool whole_ = true;
  bool reader_ = false;
  bool finished_ = false;
  bool complete_ = false;
  std::optional<http::Signal> waiter_;
};

}  // namespace tessera::proxy
