// Bytes in, replies out: hiredis's reader behind a guard. Pure (no I/O, no clock).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cache/redis/reply.h"
#include "cache/redis/reply_guard.h"

struct redisReader;

namespace tessera::cache::redis {

struct ReplySink;

// After a feed() that failed the reader is of no use any more, and neither is its connection.
class ReplyReader {
 public:
  struct Limits {
    ReplyGuard::Limits reply;
    std::size_t value = 0;  // a longer bulk is read, but comes out as nil
  };
  enum class Status : unsigned char {
    fine,
    malformed,  // not RESP2
    too_large,  // above a limit
    out_of_memory,
  };

  explicit ReplyReader(const Limits& limits);
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  Status feed(std::string_view bytes);
  // Moves the next complete reply into `reply`; false when there is none yet, or when status() is not fine.
  bool next(Reply& reply);
  Status status() const { return status_; }
  // Whether every byte that came belongs to a reply that next() has given.
  bool is_drained() const { return guard_.between_replies() && guard_.completed() == given_; }
  void limit_elements(std::size_t elements) { guard_.limit_elements(elements); }

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };

  ReplyGuard guard_;
  std::unique_ptr<ReplySink> sink_;
  std::unique_ptr<redisReader, Free> reader_;
  Status status_ = Status::fine;
  std::size_t given_ = 0;  // replies that next() gave
};

}  // namespace tessera::cache::redis
