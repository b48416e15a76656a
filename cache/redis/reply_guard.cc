// Invariants: reply_bytes_ counts every byte of the reply under way, announced payloads in advance; depth_ is
// the number of arrays that are open, each with left_ > 0.
#include "cache/redis/reply_guard.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tessera::cache::redis {
namespace {

bool is_numeric(char type) {
  return type == ':' || type == '$' || type == '*';
}

std::optional<std::int64_t> parse_integer(const char* begin, std::size_t size) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(begin, begin + size, number);
  if (size == 0 || error != std::errc() || end != begin + size) return std::nullopt;
  return number;
}

}  // namespace

ReplyGuard::Verdict ReplyGuard::check(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    Verdict verdict = Verdict::fine;
    switch (state_) {
      case State::type:
        verdict = take_type(bytes[at++]);
        break;
      case State::line:
        verdict = take_line(bytes, at);
        break;
      case State::line_end:
        verdict = bytes[at++] == '\n' ? end_line() : Verdict::malformed;
        break;
      case State::payload: {
        const auto skipped = std::min(payload_left_, bytes.size() - at);
        payload_left_ -= skipped;
        at += skipped;
        if (payload_left_ == 0) state_ = State::payload_return;
        break;
      }
      case State::payload_return:
        verdict = bytes[at++] == '\r' ? Verdict::fine : Verdict::malformed;
        state_ = State::payload_end;
        break;
      case State::payload_end:
        verdict = bytes[at++] == '\n' ? Verdict::fine : Verdict::malformed;
        end_element();
        break;
    }
    if (verdict != Verdict::fine) return verdict;
  }
  return Verdict::fine;
}

ReplyGuard::Verdict ReplyGuard::take_type(char byte) {
  if (byte != '+' && byte != '-' && !is_numeric(byte)) return Verdict::malformed;
  if (depth_ == 0) reply_bytes_ = reply_elements_ = 0;
  type_ = byte;
  line_bytes_ = 0;
  state_ = State::line;
  return ++reply_bytes_ > limits_.bytes ? Verdict::too_large : Verdict::fine;
}

ReplyGuard::Verdict ReplyGuard::take_line(std::string_view bytes, std::size_t& at) {
  while (at < bytes.size()) {
    const char byte = bytes[at++];
    ++reply_bytes_;
    if (byte == '\r') {
      state_ = State::line_end;
      return Verdict::fine;
    }
    if (byte == '\n') return Verdict::malformed;
    if (is_numeric(type_)) {
      if (line_bytes_ == number_.size()) return Verdict::malformed;
      number_[line_bytes_] = byte;
    }
    if (++line_bytes_ > limits_.line || reply_bytes_ > limits_.bytes) return Verdict::too_large;
  }
  return Verdict::fine;
}

ReplyGuard::Verdict ReplyGuard::end_line() {
  ++reply_bytes_;
  if (type_ == '*') return announce_array();
  if (type_ == '$') return announce_bulk();
  if (type_ == ':' && !parse_integer(number_.data(), line_bytes_)) return Verdict::malformed;
  end_element();
  return Verdict::fine;
}

ReplyGuard::Verdict ReplyGuard::announce_array() {
  const auto count = parse_integer(number_.data(), line_bytes_);
  if (!count || *count < -1) return Verdict::malformed;
  if (*count <= 0) {
    end_element();
    return Verdict::fine;
  }
  const auto elements = static_cast<std::uint64_t>(*count);
  if (elements > limits_.elements - std::min(limits_.elements, reply_elements_) || depth_ == kDepth) {
    return Verdict::too_large;
  }
  reply_elements_ += elements;
  left_[depth_++] = elements;
  state_ = State::type;
  return Verdict::fine;
}

ReplyGuard::Verdict ReplyGuard::announce_bulk() {
  const auto length = parse_integer(number_.data(), line_bytes_);
  if (!length || *length < -1) return Verdict::malformed;
  if (*length == -1) {
    end_element();
    return Verdict::fine;
  }
  const auto bytes = static_cast<std::uint64_t>(*length);
  if (bytes > limits_.bytes - std::min(limits_.bytes, reply_bytes_)) return Verdict::too_large;
  reply_bytes_ += bytes + 2;
  payload_left_ = bytes;
  state_ = bytes == 0 ? State::payload_return : State::payload;
  return Verdict::fine;
}

void ReplyGuard::end_element() {
  state_ = State::type;
  while (depth_ > 0 && --left_[depth_ - 1] == 0) --depth_;
  if (depth_ == 0) ++completed_;
}

}  // namespace tessera::cache::redis
