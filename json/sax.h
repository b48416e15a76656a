// One pass over a JSON document (RFC 8259) without recursion: grammar, UTF-8 and depth are checked, and every
// value is reported with its place; nothing is decoded or copied. Pure.
//
// The handler's functions return false to stop; read_document then returns handler.error().
//   bool begin_object(std::size_t at), end_object(std::size_t end), begin_array(at), end_array(end);
//   bool key(RawString), string(RawString), number(std::string_view token), literal(std::string_view token);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <rapidjson/reader.h>

#include "json/document_stream.h"
#include "json/error.h"

// The general one peeks and takes, byte by byte.
template <>
inline void rapidjson::SkipWhitespace(tessera::json::DocumentStream& stream) {
  stream.skip_space();
}

namespace tessera::json {

// A string as the document writes it, without its quotes.
struct RawString {
  std::string_view raw;
  bool escaped;

  std::string_view token() const { return {raw.data() - 1, raw.size() + 2}; }  // with them
};

// Appends the text that a string stands for. REQUIRED: a string that read_document has reported.
void append_decoded(std::string& text, std::string_view raw);
std::string decoded(RawString string);

template <class Handler>
Result<void> read_document(std::string_view document, Handler& handler);

namespace detail {

// From RapidJSON's handler concept to ours.
template <class Handler>
class SaxAdapter {
 public:
  SaxAdapter(Handler& handler, DocumentStream& stream) : handler_(handler), stream_(stream) {}

  bool StartObject() { return descend() && handler_.begin_object(stream_.Tell()); }
  bool StartArray() { return descend() && handler_.begin_array(stream_.Tell()); }
  bool EndObject(unsigned) {
    --depth_;
    return handler_.end_object(stream_.Tell() + 1);
  }
  bool EndArray(unsigned) {
    --depth_;
    return handler_.end_array(stream_.Tell() + 1);
  }
  bool Key(const char* raw, unsigned size, bool) { return handler_.key(string(raw, size)); }
  bool String(const char* raw, unsigned size, bool) { return handler_.string(string(raw, size)); }
  bool Null() { return handler_.literal(stream_.from(stream_.Tell() - 4)); }
  bool Bool(bool value) { return handler_.literal(stream_.from(stream_.Tell() - (value ? 4 : 5))); }
  bool Uint(unsigned) { return handler_.number(stream_.last_number()); }

  // The stream shows every number as 0, so that these are never called.
  bool Int(int) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char*, unsigned, bool) { return false; }

  bool is_too_deep() const { return depth_ > kMaxDepth; }

 private:
  bool descend() { return ++depth_ <= kMaxDepth; }
  RawString string(const char* raw, unsigned size) const {
    return {{raw, size}, stream_.last_string_is_escaped()};
  }

  Handler& handler_;
  DocumentStream& stream_;
  std::size_t depth_ = 0;
};

}  // namespace detail

template <class Handler>
Result<void> read_document(std::string_view document, Handler& handler) {
  if (document.size() > 0xFFFFFFFFU) return Error::malformed;  // RapidJSON counts in 32 bits
  DocumentStream stream(document);
  detail::SaxAdapter<Handler> adapter(handler, stream);
  rapidjson::GenericReader<DocumentText, DocumentText> reader;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseInsituFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, adapter);
  if (adapter.is_too_deep()) return Error::too_deep;
  if (parsed.Code() == rapidjson::kParseErrorTermination) return handler.error();
  if (parsed.IsError() || !stream.is_at_end()) return Error::malformed;
  return {};
}

}  // namespace tessera::json
