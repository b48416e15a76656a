// Names of members that are written often: quotes, colon and escapes are in place before the first document.
// Both kinds may stand wherever a name or a string may.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

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

  std::string_view name() const { return {bytes_ + 1, size_ - 3}; }
  std::string_view quoted() const { return {bytes_, size_ - 1}; }

  friend constexpr bool operator==(const Key&, const Key&) = default;

 private:
  friend class Writer;
  char bytes_[kCapacity] = {};
  std::size_t size_;
};

// A name that is known only when the program runs, of any length and with any characters.
class InternedKey {
 public:
  explicit InternedKey(std::string_view name);

  std::string_view name() const { return std::string_view(bytes_).substr(1, size_ - 3); }
  std::string_view quoted() const { return std::string_view(bytes_).substr(0, size_ - 1); }
  // False: some character needs an escape or is not UTF-8, and the name is written as any other text.
  bool is_plain() const { return is_plain_; }

  friend bool operator==(const InternedKey& a, const InternedKey& b) { return a.name() == b.name(); }
  friend auto operator<=>(const InternedKey& a, const InternedKey& b) { return a.name() <=> b.name(); }

 private:
  friend class Writer;
  static constexpr std::size_t kChunk = 32;  // copied at once; bytes_ is at least that long

  std::string bytes_;
  std::size_t size_;
  bool is_plain_;
};

// Gives equal names the same InternedKey, which lives as long as the table. One thread at a time; keys may be
// read by any.
class KeyTable {
 public:
  const InternedKey& intern(std::string_view name);

 private:
  std::deque<InternedKey> keys_;
  boost::unordered_flat_map<std::string_view, const InternedKey*> by_name_;  // views of keys_
};

}  // namespace tessera::json
