// What codecs do with the pieces of a value, in document order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/error.h"
#include "json/sax.h"
#include "json/unique_names.h"
#include "json/writer.h"

namespace tessera::json {

// The way in: a handler for read_document that decodes texts, refuses members that come twice, and passes the
// pieces on to `sink`:
//   void begin_object(), end_object(), begin_array(), end_array(), key(text), string(text), literal(token);
//   Result<void> number(token);
template <class Sink>
class EncodeEvents {
 public:
  explicit EncodeEvents(Sink& sink) : sink_(sink) {}

  bool begin_object(std::size_t) {
    names_.begin_object();
    sink_.begin_object();
    return true;
  }
  bool end_object(std::size_t) {
    names_.end_object();
    sink_.end_object();
    return true;
  }
  bool begin_array(std::size_t) {
    sink_.begin_array();
    return true;
  }
  bool end_array(std::size_t) {
    sink_.end_array();
    return true;
  }
  bool key(RawString name) {
    const std::string_view text = text_of(name);
    if (!names_.add(text)) return fail(Error::name_repeated);
    sink_.key(text);
    return true;
  }
  bool string(RawString string) {
    sink_.string(text_of(string));
    return true;
  }
  bool number(std::string_view token) {
    const Result<void> kept = sink_.number(token);
    return kept || fail(kept.error());
  }
  bool literal(std::string_view token) {
    sink_.literal(token);
    return true;
  }
  boost::system::error_code error() const { return error_; }

 private:
  std::string_view text_of(RawString string) {
    if (!string.escaped) return string.raw;
    text_.clear();
    append_decoded(text_, string.raw);
    return text_;
  }
  bool fail(boost::system::error_code error) {
    error_ = error;
    return false;
  }

  Sink& sink_;
  UniqueNames names_;
  std::string text_;  // the last one that had escapes
  boost::system::error_code error_;
};

template <class Sink>
Result<void> encode_events(std::string_view document, Sink& sink) {
  EncodeEvents<Sink> events(sink);
  return read_document(document, events);
}

// The way out, for readers that check less than ours: what is refused here is not written. Each function
// returns false when the value is refused; error() then says why.
class DecodeEvents {
 public:
  explicit DecodeEvents(Writer& json) : json_(json) {}

  bool begin_object();
  bool end_object();
  bool begin_array();
  bool end_array();
  bool key(std::string_view text);
  bool string(std::string_view text);
  bool integer(std::int64_t value);
  bool natural(std::uint64_t value);
  bool real(double value);
  bool number(std::string_view token);  // REQUIRED: a number as RFC 8259 writes it
  bool literal(std::string_view token);

  bool fail(Error error);
  boost::system::error_code error() const { return error_; }

 private:
  bool descend();
  bool text_is_valid() { return json_.is_valid() || fail(Error::undecodable); }

  Writer& json_;
  UniqueNames names_;
  std::size_t depth_ = 0;
  boost::system::error_code error_;
};

}  // namespace tessera::json
