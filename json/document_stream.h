// The document as RapidJSON's reader sees it: RapidJSON checks the grammar, this stream the strings and
// numbers.
//
// RapidJSON is told to parse in situ. It then asks the stream where a string begins and hands decoded
// characters back to it; this stream notes the place and drops the characters, so nothing is copied and
// nothing decoded. Numbers are checked here against RFC 8259 section 6 and shown to RapidJSON as a lone 0,
// because its own check turns away those that no double holds (1E400). One thread; the document outlives the
// stream.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tessera::json {

// The first byte at or after `in` that is a quote, a backslash or a control character, or `end`; null when
// something before it is not UTF-8.
const char* skip_text(const char* in, const char* end);

// The end of the number that begins at `in`; null when there is none, or when it runs on into something else.
const char* skip_number(const char* in, const char* end);

class DocumentStream {
 public:
  using Ch = char;

  explicit DocumentStream(std::string_view document)
      : begin_(document.data()), position_(begin_), end_(begin_ + document.size()), stop_(end_) {}
  DocumentStream(const DocumentStream&) = delete;
  DocumentStream& operator=(const DocumentStream&) = delete;

  // What RapidJSON calls.
  Ch Peek() {
    if (position_ == stop_) return '\0';
    const char c = *position_;
    if (in_string_ || (c != '-' && (c < '0' || c > '9'))) return c;
    return show_number();
  }
  Ch Take() {
    if (position_ == stop_) return '\0';
    const Ch c = Peek();
    position_ = position_ == number_begin_ ? number_end_ : position_ + 1;
    return c;
  }
  std::size_t Tell() const { return static_cast<std::size_t>(position_ - begin_); }
  Ch* PutBegin() {
    in_string_ = true;
    escaped_ = false;
    // RapidJSON wants to write here; Put below does not.
    return const_cast<Ch*>(position_);
  }
  void Put(Ch c) {
    if (c != '\0') escaped_ = true;  // the last one of a string is a terminator
  }
  // The length of the string that began at `head`, and one more; its closing quote has been taken.
  std::size_t PutEnd(const Ch* head) {
    in_string_ = false;
    return static_cast<std::size_t>(position_ - head);
  }

  void skip_space() {
    while (position_ != stop_ &&
           (*position_ == ' ' || *position_ == '\n' || *position_ == '\r' || *position_ == '\t')) {
      ++position_;
    }
  }

  // What the encoding below calls: a character that was escaped, and a run of such as were not.
  void put_code_point(unsigned code_point) {
    escaped_ = true;
    // RapidJSON lets a low surrogate pass that no high one precedes: nothing that UTF-8 can hold.
    if (code_point >= 0xDC00 && code_point <= 0xDFFF) stop_ = position_;
  }
  bool take_text() {
    const char* behind = skip_text(position_, end_);
    if (behind == nullptr) return false;
    position_ = behind;
    return true;
  }

  std::string_view from(std::size_t offset) const { return {begin_ + offset, Tell() - offset}; }
  std::string_view last_number() const {
    return {number_begin_, static_cast<std::size_t>(number_end_ - number_begin_)};
  }
  bool last_string_is_escaped() const { return escaped_; }
  bool is_at_end() const { return position_ == end_; }

 private:
  Ch show_number() {
    if (number_begin_ == position_) return '0';
    const char* behind = skip_number(position_, end_);
    if (behind == nullptr) {
      stop_ = position_;
      return '\0';
    }
    number_begin_ = position_;
    number_end_ = behind;
    return '0';
  }

  const char* begin_;
  const char* position_;
  const char* end_;
  const char* stop_;  // the document ends here for RapidJSON: at its end, or where it is broken
  const char* number_begin_ = nullptr;
  const char* number_end_ = nullptr;
  bool in_string_ = false;
  bool escaped_ = false;
};

// RapidJSON's Encoding concept over that stream. The output is the stream itself; RapidJSON also compiles,
// but never runs, a branch that has another one.
struct DocumentText {
  using Ch = char;
  enum { supportUnicode = 1 };

  template <class Output>
  static void Encode(Output& out, unsigned code_point) {
    if constexpr (std::is_same_v<Output, DocumentStream>) out.put_code_point(code_point);
  }
  template <class Output>
  static bool Validate(DocumentStream& in, Output&) {
    return in.take_text();
  }
};

}  // namespace tessera::json
