// Writes compact JSON (RFC 8259) into a growing buffer.
//
// The caller calls in document order: in an object key, value, key, value; commas and colons come by
// themselves. The writer does not check that begin and end match. What cannot be written (text that is not
// UTF-8; NaN and infinities, when they are refused) is left out or null, and is_valid() is false from then
// on, so that one check at the end is enough. One thread at a time.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "json/error.h"
#include "json/escape.h"
#include "json/key.h"
#include "json/put_number.h"

namespace tessera::json {

// What becomes of text that is not UTF-8.
enum class InvalidUtf8 : std::uint8_t {
  error,    // the document is refused: Error::not_utf8
  replace,  // U+FFFD stands for each longest beginning of a sequence (the Unicode Standard, section 3.9)
};

// What becomes of NaN and infinities, for which JSON has no number.
enum class NonFinite : std::uint8_t {
  null,
  error,  // the document is refused: Error::not_finite
};

class Writer {
 public:
  explicit Writer(Escape escape, InvalidUtf8 invalid_utf8 = InvalidUtf8::error,
                  NonFinite non_finite = NonFinite::null)
      : out_(buffer_.data()),
        limit_(out_),
        escape_(escape),
        invalid_utf8_(invalid_utf8),
        non_finite_(non_finite) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  void key(const Key& key);
  void key(const InternedKey& key);
  void key(std::string_view name);

  void string(std::string_view text);
  void string(const Key& key) { raw(key.quoted()); }
  void string(const InternedKey& key);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  // Integers up to 128 bits, float and double; see put_number.h.
  template <class Numeric>
  void number(Numeric value);
  // A value that is JSON already, or a string in quotes that is known to need no escape.
  void raw(std::string_view json);

  // Makes the document invalid. The first fault is kept.
  void refuse(Error fault);

  // How many more bytes may come. A guess that is too small costs a copy, one that is too large costs memory.
  void reserve(std::size_t bytes) { ensure(bytes); }

  bool is_valid() const { return fault_ == Error{}; }
  Error fault() const { return fault_; }  // Error{} when there is none
  std::size_t size() const { return static_cast<std::size_t>(out_ - buffer_.data()); }
  std::string_view view() const { return {buffer_.data(), size()}; }
  // The document; the writer is empty afterwards.
  std::string take();

 private:
  void begin(char bracket);
  void end(char bracket);
  void comma();
  void quoted(std::string_view text);
  void not_finite();
  void ensure(std::size_t bytes);  // room for that many more
  void grow(std::size_t bytes);

  std::string buffer_;
  char* out_;
  char* limit_;
  Escape escape_;
  InvalidUtf8 invalid_utf8_;
  NonFinite non_finite_;
  bool needs_comma_ = false;
  Error fault_{};
};

inline void Writer::ensure(std::size_t bytes) {
  if (static_cast<std::size_t>(limit_ - out_) < bytes) grow(bytes);
}

inline void Writer::comma() {  // without a branch: the byte is overwritten when it is not wanted
  *out_ = ',';
  out_ += needs_comma_ ? 1 : 0;
}

inline void Writer::begin(char bracket) {
  ensure(2);
  comma();
  *out_++ = bracket;
  needs_comma_ = false;
}

inline void Writer::end(char bracket) {
  ensure(1);
  *out_++ = bracket;
  needs_comma_ = true;
}

inline void Writer::key(const Key& key) {
  ensure(1 + Key::kCapacity);
  comma();
  std::memcpy(out_, key.bytes_, Key::kCapacity);
  out_ += key.size_;
  needs_comma_ = false;
}

inline void Writer::key(const InternedKey& key) {
  if (!key.is_plain_) return this->key(key.name());
  ensure(1 + key.bytes_.size());
  comma();
  std::memcpy(out_, key.bytes_.data(), InternedKey::kChunk);
  if (key.size_ > InternedKey::kChunk) std::memcpy(out_, key.bytes_.data(), key.size_);
  out_ += key.size_;
  needs_comma_ = false;
}

inline void Writer::string(const InternedKey& key) {
  if (key.is_plain_) {
    raw(key.quoted());
  } else {
    this->string(key.name());
  }
}

template <class Numeric>
void Writer::number(Numeric value) {
  if constexpr (std::floating_point<Numeric>) {
    if (!std::isfinite(value)) return not_finite();
  }
  ensure(1 + kNumberRoom);
  comma();
  out_ = put_number(out_, value);
  needs_comma_ = true;
}

inline void Writer::raw(std::string_view json) {
  ensure(1 + json.size());
  comma();
  std::memcpy(out_, json.data(), json.size());
  out_ += json.size();
  needs_comma_ = true;
}

}  // namespace tessera::json
