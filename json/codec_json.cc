// Stored is the document without its white space and with no more escapes than JSON demands.
#include "json/codec.h"
#include "json/codec_events.h"
#include "json/number.h"

namespace tessera::json {
namespace {

class WriterSink {
 public:
  explicit WriterSink(Writer& json) : json_(json) {}

  void begin_object() { json_.begin_object(); }
  void end_object() { json_.end_object(); }
  void begin_array() { json_.begin_array(); }
  void end_array() { json_.end_array(); }
  void key(std::string_view text) { json_.key(text); }
  void string(std::string_view text) { json_.string(text); }
  void literal(std::string_view token) { json_.raw(token); }
  Result<void> number(std::string_view token) {
    if (const Result<Number> number = read_number(token); !number) return number.error();
    json_.raw(token);
    return {};
  }

 private:
  Writer& json_;
};

class JsonCodec final : public Codec {
 public:
  std::string_view name() const override { return "json"; }
  bool is_text() const override { return true; }

  Result<std::string> encode(std::string_view document) const override {
    Writer json(Escape::none);
    json.reserve(document.size());
    WriterSink sink(json);
    if (const Result<void> read = encode_events(document, sink); !read) return read.error();
    return json.take();
  }

  Result<void> decode(std::string_view stored, Writer& json) const override {
    WriterSink sink(json);
    Result<void> read = encode_events(stored, sink);
    if (!read && read.error() == Error::malformed) return Error::undecodable;
    return read;
  }
};

}  // namespace

const Codec& json_codec() {
  static const JsonCodec codec;
  return codec;
}

}  // namespace tessera::json
