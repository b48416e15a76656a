// Writes compact JSON (RFC 8259) into a growing buffer.
//
// The caller calls in document order: in an object key, value, key, value; commas and colons come by
// themselves. The writer does not check that begin and end match. Text that is not UTF-8 cannot be written:
// it is left out and is_valid() is false from then on, so that one check at the end is enough. One thread at
// a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "json/escape.h"

namespace tessera::json {

// The name of a member, known when compiling: `static constexpr Key kTitle{"title"};`. Kept as `"title":`, in
// an array whose whole length is copied at once. Refuses to compile when a character would need an escape.
class Key {
 public:
  static constexpr std::size_t kCapacity = 24;

  template <std::size_t kSize>
  explicit consteval Key(const char (&name)[kSize]) : size_(kSize + 2) {
    static_assert(kSize + 2 <= kCapacity, "a longer name goes through Writer::key(std::string_view)");
    bytes_[0] = '"';
    for (std::size_t i = 0; i + 1 < kSize; ++i) {
      const char c = name[i];
      if (c < 0x20 || c > 0x7E || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
        throw "this name needs escapes";  // not a constant expression: the compiler stops here
      }
      bytes_[i + 1] = c;
    }
    bytes_[kSize] = '"';
    bytes_[kSize + 1] = ':';
  }

 private:
  friend class Writer;
  char bytes_[kCapacity] = {};
  std::size_t size_;
};

class Writer {
 public:
  explicit Writer(Escape escape) : out_(buffer_.data()), limit_(out_), escape_(escape) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  void key(const Key& key);
  void key(std::string_view name);

  void string(std::string_view text);
  void number(std::int64_t value);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  // A value that is JSON already, or a string in quotes that is known to need no escape.
  void raw(std::string_view json);

  // How many more bytes may come. A guess that is too small costs a copy, one that is too large costs memory.
  void reserve(std::size_t bytes) { ensure(bytes); }

  bool is_valid() const { return valid_; }
  std::size_t size() const { return static_cast<std::size_t>(out_ - buffer_.data()); }
  std::string_view view() const { return {buffer_.data(), size()}; }
  // The document; the writer is empty afterwards.
  std::string take();

 private:
  void begin(char bracket);
  void end(char bracket);
  void comma();
  void quoted(std::string_view text);
  void ensure(std::size_t bytes);  // room for that many more
  void grow(std::size_t bytes);

  std::string buffer_;
  char* out_;
  char* limit_;
  Escape escape_;
  bool needs_comma_ = false;
  bool valid_ = true;
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

inline void Writer::raw(std::string_view json) {
  ensure(1 + json.size());
  comma();
  std::memcpy(out_, json.data(), json.size());
  out_ += json.size();
  needs_comma_ = true;
}

}  // namespace tessera::json
