// Walks over the headers of RESP2 replies before hiredis sees them. hiredis 0.14 reserves whatever a header
// announces
// (`*2147483647` costs 16 GB of address space) and buffers a bulk of any length; nothing that has passed here
// can make it do so. Pure; costs one step a header, payloads are skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera::cache::redis {

class ReplyGuard {
 public:
  struct Limits {
    std::size_t elements = 0;    // in all arrays of one reply together
    std::size_t bytes = 0;       // of one reply, headers included; no single bulk may announce more
    std::size_t line = 1 << 16;  // of one header, status or error line
  };
  enum class Verdict : unsigned char {
    fine,
    malformed,  // not RESP2
    too_large,  // RESP2, but above a limit, or nested deeper than kDepth
  };
  static constexpr std::size_t kDepth = 4;  // arrays within arrays; hiredis ends at 7

  explicit ReplyGuard(const Limits& limits) : limits_(limits) {}

  // Whatever follows a verdict other than fine is not looked at: the connection is done for.
  Verdict check(std::string_view bytes);
  // For the replies that begin from now on.
  void limit_elements(std::size_t elements) { limits_.elements = elements; }
  // How many replies are complete, and whether a further one has begun.
  std::size_t completed() const { return completed_; }
  bool between_replies() const { return state_ == State::type && depth_ == 0; }

 private:
  enum class State : unsigned char { type, line, line_end, payload, payload_return, payload_end };

  Verdict take_type(char byte);
  Verdict take_line(std::string_view bytes, std::size_t& at);
  Verdict end_line();
  Verdict announce_array();
  Verdict announce_bulk();
  void end_element();

  Limits limits_;
  State state_ = State::type;
  char type_ = 0;
  std::size_t line_bytes_ = 0;
  std::array<char, 20> number_{};  // the text of a numeric header
  std::size_t payload_left_ = 0;
  std::size_t depth_ = 0;
  std::array<std::size_t, kDepth> left_{};  // elements still to come, of each open array
  std::size_t reply_bytes_ = 0;
  std::size_t reply_elements_ = 0;
  std::size_t completed_ = 0;
};

}  // namespace tessera::cache::redis
