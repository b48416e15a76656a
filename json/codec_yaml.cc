// YAML by yaml-cpp's emitter and its event handler. Both know YAML 1.2 only, and both read texts that
// YAML 1.1 or other readers take for something else; so what may stand without quotes is decided here
// (yaml_text.h), by one rule for both ways. yaml-cpp reports errors by exceptions; none leaves this file.
#include <exception>
#include <optional>
#include <ostream>
#include <streambuf>
#include <vector>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "json/codec.h"
#include "json/codec_events.h"
#include "json/document_stream.h"
#include "json/escape.h"
#include "json/number.h"
#include "json/yaml_text.h"

namespace tessera::json {
namespace {

// A reader needs not look further than 1,024 characters for the colon behind a key (YAML 1.2, section 7.4.2).
// Escapes take up to ten for one byte.
constexpr std::size_t kLongestSimpleKey = 100;

// A scalar whose text is finished.
struct Verbatim {
  std::string_view text;
  friend std::ostream& operator<<(std::ostream& out, Verbatim verbatim) { return out << verbatim.text; }
};

class EmitterSink {
 public:
  void begin_object() { emitter_ << YAML::BeginMap; }
  void end_object() { emitter_ << YAML::EndMap; }
  void begin_array() { emitter_ << YAML::BeginSeq; }
  void end_array() { emitter_ << YAML::EndSeq; }
  void key(std::string_view text) {
    if (text.size() > kLongestSimpleKey) emitter_ << YAML::LongKey;
    string(text);
  }
  void string(std::string_view text) {
    if (needs_own_quotes(text)) {
      emitter_.WriteIntegralType(Verbatim{quoted_text(text)});
      return;
    }
    if (!is_plain_text(text)) emitter_ << YAML::DoubleQuoted;
    emitter_ << std::string(text);
  }
  void literal(std::string_view token) { emitter_.WriteIntegralType(Verbatim{token}); }
  Result<void> number(std::string_view token) {
    if (const Result<Number> number = read_number(token); !number) return number.error();
    emitter_.WriteIntegralType(Verbatim{yaml_number(token)});
    return {};
  }

  bool is_good() const { return emitter_.good(); }
  std::string take() const { return {emitter_.c_str(), emitter_.size()}; }

 private:
  YAML::Emitter emitter_;
};

struct Refused {};  // ends yaml-cpp's parser from inside of a handler

class YamlEvents final : public YAML::EventHandler {
 public:
  explicit YamlEvents(Writer& json) : events_(json) {}

  void OnDocumentStart(const YAML::Mark&) override { require(++documents_ == 1, Error::no_json_form); }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { refuse(Error::no_json_form); }
  void OnAnchor(const YAML::Mark&, const std::string&) override { refuse(Error::no_json_form); }

  void OnNull(const YAML::Mark&, YAML::anchor_t anchor) override {
    require(anchor == YAML::NullAnchor && !is_at_key(), Error::no_json_form);
    check(events_.literal("null"));
    value_ended();
  }

  void OnScalar(const YAML::Mark&, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool is_quoted = tag == "!";  // yaml-cpp's word for it; "?" is a plain one, another is a tag
    require(anchor == YAML::NullAnchor && (is_quoted || tag == "?"), Error::no_json_form);
    if (is_quoted || is_plain_text(text)) {
      check(is_at_key() ? events_.key(text) : events_.string(text));
    } else {
      require(!is_at_key(), Error::no_json_form);
      plain(text);
    }
    value_ended();
  }

  void OnSequenceStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    container(tag, anchor);
    check(events_.begin_array());
    at_key_.push_back(kArray);
  }
  void OnSequenceEnd() override {
    check(events_.end_array());
    at_key_.pop_back();
    value_ended();
  }

  void OnMapStart(const YAML::Mark&, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    container(tag, anchor);
    check(events_.begin_object());
    at_key_.push_back(kKey);
  }
  void OnMapEnd() override {
    check(events_.end_object());
    at_key_.pop_back();
    value_ended();
  }

  std::size_t documents() const { return documents_; }
  boost::system::error_code error() const { return events_.error(); }

 private:
  enum Place : char { kArray, kKey, kValue };

  bool is_at_key() const { return !at_key_.empty() && at_key_.back() == kKey; }

  void value_ended() {  // or a key
    if (at_key_.empty() || at_key_.back() == kArray) return;
    at_key_.back() = at_key_.back() == kKey ? kValue : kKey;
  }

  void plain(const std::string& text) {
    if (text == "true" || text == "false") return check(events_.literal(text));
    const char* const end = text.data() + text.size();
    require(skip_number(text.data(), end) == end, Error::no_json_form);
    check(events_.number(text));
  }

  void container(const std::string& tag, YAML::anchor_t anchor) {
    const bool has_tag = tag != "?" && !tag.empty();
    require(anchor == YAML::NullAnchor && !has_tag && !is_at_key(), Error::no_json_form);
  }

  static void check(bool is_taken) {
    if (!is_taken) throw Refused{};
  }
  void require(bool holds, Error error) {
    if (!holds) refuse(error);
  }
  void refuse(Error error) {
    events_.fail(error);
    throw Refused{};
  }

  DecodeEvents events_;
  std::size_t documents_ = 0;
  std::vector<Place> at_key_;  // of each open container
};

// Reads a text where it is.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // nothing is written through it
    setg(begin, begin, begin + text.size());
  }
};

// yaml-cpp takes U+0004 for the end, and guesses at UTF-16 when there are zeros.
bool is_readable(std::string_view stored) {
  for (const char c : stored) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return false;
  }
  return is_utf8(stored);
}

class YamlCodec final : public Codec {
 public:
  std::string_view name() const override { return "yaml"; }
  bool is_text() const override { return true; }

  Result<std::string> encode(std::string_view document) const override {
    EmitterSink sink;
    if (const Result<void> read = encode_events(document, sink); !read) return read.error();
    if (!sink.is_good()) return Error::malformed;
    return sink.take();
  }

  Result<void> decode(std::string_view stored, Writer& json) const override {
    if (!is_readable(stored)) return Error::undecodable;
    ViewBuffer buffer(stored);
    std::istream stream(&buffer);
    YamlEvents events(json);
    try {
      YAML::Parser parser(stream);
      while (parser.HandleNextDocument(events)) {
      }
    } catch (const Refused&) {
      return events.error();
    } catch (const YAML::Exception&) {
      return Error::undecodable;
    }
    if (events.documents() == 0) return Error::undecodable;
    return {};
  }
};

}  // namespace

const Codec& yaml_codec() {
  static const YamlCodec codec;
  return codec;
}

}  // namespace tessera::json
