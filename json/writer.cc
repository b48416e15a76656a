// Invariant: buffer_.data() <= out_ <= limit_ == the buffer's end; what lies behind out_ is scratch.
#include "json/writer.h"

#include <algorithm>
#include <utility>

namespace tessera::json {

void Writer::grow(std::size_t bytes) {
  const std::size_t used = size();
  buffer_.resize(std::max({buffer_.size() * 2, used + bytes, std::size_t{256}}));
  out_ = buffer_.data() + used;
  limit_ = buffer_.data() + buffer_.size();
}

void Writer::quoted(std::string_view text) {
  constexpr std::string_view kReplacement = "\uFFFD";
  ensure(text.size() + kEscapeRoom + 3);
  comma();
  *out_++ = '"';
  const char* in = text.data();
  const char* const end = in + text.size();
  while (true) {
    const EscapeProgress progress = escape_text(escape_, in, end, out_, limit_);
    in = progress.in;
    out_ = progress.out;
    if (in == end) break;
    if (!progress.valid) {
      if (invalid_utf8_ == InvalidUtf8::error) {
        refuse(Error::not_utf8);
        break;
      }
      out_ = std::copy(kReplacement.begin(), kReplacement.end(), out_);  // a fault leaves kEscapeRoom unused
      in += utf8_fault(in, end);
    }
    ensure(static_cast<std::size_t>(end - in) + 2 * kEscapeRoom);
  }
  ensure(2);
  *out_++ = '"';
}

void Writer::string(std::string_view text) {
  quoted(text);
  needs_comma_ = true;
}

void Writer::key(std::string_view name) {
  quoted(name);
  *out_++ = ':';
  needs_comma_ = false;
}

void Writer::not_finite() {
  if (non_finite_ == NonFinite::error) refuse(Error::not_finite);
  null();
}

void Writer::refuse(Error fault) {
  if (is_valid()) fault_ = fault;
}

std::string Writer::take() {
  buffer_.resize(size());
  std::string document = std::exchange(buffer_, {});
  out_ = buffer_.data();
  limit_ = out_;
  needs_comma_ = false;
  return document;
}

}  // namespace tessera::json
