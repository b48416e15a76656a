// A line that has not ended is looked at from its beginning whenever more of it comes: lines are short.
#include "http/chunked.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "http/trailer.h"

namespace tessera::http {
namespace {

constexpr std::size_t kMaxExtension = 256;
constexpr std::size_t kMaxSizeDigits = 15;  // leading zeros included: 60 bits
constexpr std::size_t kMaxTrailers = 16 * 1024;
constexpr std::string_view kBlanks = " \t";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

bool skip_token(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_token_byte);
  const auto size = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(size);
  return size != 0;
}

bool skip_quoted(std::string_view& text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ), RFC 9112 7.1.1.
bool is_extension(std::string_view text) {
  while (!text.empty()) {
    skip_blanks(text);
    if (!text.starts_with(';')) return false;
    text.remove_prefix(1);
    skip_blanks(text);
    if (!skip_token(text)) return false;
    auto value = text;
    skip_blanks(value);
    if (!value.starts_with('=')) continue;
    value.remove_prefix(1);
    skip_blanks(value);
    const bool is_value = value.starts_with('"') ? skip_quoted(value) : skip_token(value);
    if (!is_value) return false;
    text = value;
  }
  return true;
}

// The line that `in` begins with, without its CRLF; nullopt: it has not ended yet.
Result<std::optional<std::string_view>> take_line(std::string_view in) {
  const auto end = static_cast<std::size_t>(std::find_if(in.begin(), in.end(), is_control) - in.begin());
  if (end == in.size() || (end + 1 == in.size() && in[end] == '\r')) return std::optional<std::string_view>();
  if (in[end] != '\r' || in[end + 1] != '\n') return Error::malformed_message;
  return std::optional(in.substr(0, end));
}

}  // namespace

Result<std::size_t> ChunkedDecoder::read_size(std::string_view in) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < in.size(); ++digits) {
    const auto digit = hex_digit(in[digits]);
    if (!digit) break;
    if (digits == kMaxSizeDigits) return Error::malformed_message;
    size = size << 4 | *digit;
  }
  if (digits == in.size()) return 0u;
  const auto behind = in.substr(digits);
  if (digits == 0 || std::string_view("; \t\r").find(behind.front()) == std::string_view::npos) {
    return Error::malformed_message;
  }
  const auto extension = take_line(behind);
  if (!extension) return extension.error();
  const auto length = *extension ? (*extension)->size() : behind.size();
  if (length > kMaxExtension) return Error::malformed_message;
  if (!*extension) return 0u;
  if (!is_extension(**extension)) return Error::malformed_message;
  left_ = size;
  state_ = size == 0 ? State::trailer : State::data;
  return digits + length + 2;
}

Result<std::size_t> ChunkedDecoder::read_data_end(std::string_view in) {
  constexpr std::string_view kCrlf = "\r\n";
  if (!kCrlf.starts_with(in.substr(0, 2))) return Error::malformed_message;
  if (in.size() < 2) return 0u;
  state_ = State::size;
  return 2u;
}

Result<std::size_t> ChunkedDecoder::read_trailer(std::string_view in) {
  const auto line = take_line(in);
  if (!line) return line.error();
  if (!*line) {
    if (trailer_bytes_ + in.size() > kMaxTrailers) return Error::malformed_message;
    return 0u;
  }
  const auto size = (*line)->size() + 2;
  trailer_bytes_ += size;
  if (trailer_bytes_ > kMaxTrailers) return Error::malformed_message;
  if ((*line)->empty()) {
    state_ = State::done;
    return size;
  }
  const auto colon = (*line)->find(':');
  if (colon == std::string_view::npos) return Error::malformed_message;
  const auto name = (*line)->substr(0, colon);
  if (!is_token(name))
    return Error::malformed_message;  // take_line() lets no value with a control byte through
  if (may_be_trailer(name)) {
    if (!trailers_) trailers_ = std::make_unique<Fields>();
    trailers_->add(name, trimmed((*line)->substr(colon + 1)));
  }
  return size;
}

Result<ChunkedDecoder::Step> ChunkedDecoder::decode(std::string_view in, std::span<char> out) {
  Step step;
  while (state_ != State::done && step.consumed < in.size()) {
    const auto rest = in.substr(step.consumed);
    if (state_ == State::data) {
      const auto count = static_cast<std::size_t>(
          std::min<std::uint64_t>(left_, std::min(rest.size(), out.size() - step.produced)));
      if (count == 0) break;
      std::memcpy(out.data() + step.produced, rest.data(), count);
      step.produced += count;
      step.consumed += count;
      left_ -= count;
      if (left_ == 0) state_ = State::data_end;
      continue;
    }
    const auto used = state_ == State::size       ? read_size(rest)
                      : state_ == State::data_end ? read_data_end(rest)
                                                  : read_trailer(rest);
    if (!used) return used.error();
    if (*used == 0) break;
    step.consumed += *used;
  }
  return step;
}

}  // namespace tessera::http
