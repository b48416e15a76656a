// MessagePack (the specification of 2013 and later: text is str, bytes are bin) by nlohmann's json, which
// stays in this file: its writer needs a document model, its reader hands out the pieces. The model is built
// without recursion, the writer and the reader recurse, but no deeper than kMaxDepth.
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "json/codec.h"
#include "json/codec_events.h"
#include "json/number.h"

namespace tessera::json {
namespace {

using Model = nlohmann::ordered_json;

// Builds the model. A container that is open never moves: its parent grows only when it is closed.
class ModelSink {
 public:
  void begin_object() { open(Model::object()); }
  void end_object() { open_.pop_back(); }
  void begin_array() { open(Model::array()); }
  void end_array() { open_.pop_back(); }
  void key(std::string_view text) { key_ = text; }
  void string(std::string_view text) { add(std::string(text)); }
  void literal(std::string_view token) { add(token == "null" ? Model(nullptr) : Model(token == "true")); }

  Result<void> number(std::string_view token) {
    const Result<Number> number = read_number(token);
    if (!number) return number.error();
    if (std::holds_alternative<LargeInteger>(*number)) return Error::number_not_kept;
    if (const auto* integer = std::get_if<std::int64_t>(&*number)) add(*integer);
    if (const auto* natural = std::get_if<std::uint64_t>(&*number)) add(*natural);
    if (const auto* real = std::get_if<double>(&*number)) add(*real);
    return {};
  }

  const Model& root() const { return root_; }

 private:
  Model& add(Model value) {
    if (open_.empty()) return root_ = std::move(value);
    Model& parent = *open_.back();
    if (parent.is_array()) return parent.get_ref<Model::array_t&>().emplace_back(std::move(value));
    // Not by operator[], which looks through all members: that the name is new has been checked.
    return parent.get_ref<Model::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
  }
  void open(Model container) { open_.push_back(&add(std::move(container))); }

  Model root_;
  std::vector<Model*> open_;
  std::string key_;
};

// From nlohmann's interface to ours. A false ends the reading.
class MessagePackEvents final : public nlohmann::json_sax<Model> {
 public:
  explicit MessagePackEvents(Writer& json) : events_(json) {}

  bool null() override { return events_.literal("null"); }
  bool boolean(bool value) override { return events_.literal(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return events_.integer(value); }
  bool number_unsigned(std::uint64_t value) override { return events_.natural(value); }
  bool number_float(double value, const std::string&) override { return events_.real(value); }
  bool string(std::string& text) override { return events_.string(text); }
  bool binary(Model::binary_t&) override { return events_.fail(Error::no_json_form); }
  bool start_object(std::size_t) override { return events_.begin_object(); }
  bool key(std::string& text) override { return events_.key(text); }
  bool end_object() override { return events_.end_object(); }
  bool start_array(std::size_t) override { return events_.begin_array(); }
  bool end_array() override { return events_.end_array(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return events_.fail(Error::undecodable);
  }

  boost::system::error_code error() const { return events_.error(); }

 private:
  DecodeEvents events_;
};

class MessagePackCodec final : public Codec {
 public:
  std::string_view name() const override { return "msgpack"; }
  bool is_text() const override { return false; }

  Result<std::string> encode(std::string_view document) const override {
    ModelSink sink;
    if (const Result<void> read = encode_events(document, sink); !read) return read.error();
    std::string stored;
    stored.reserve(document.size());
    Model::to_msgpack(sink.root(), stored);
    return stored;
  }

  Result<void> decode(std::string_view stored, Writer& json) const override {
    MessagePackEvents events(json);
    const bool is_read =
        Model::sax_parse(stored.begin(), stored.end(), &events, Model::input_format_t::msgpack, true);
    if (is_read) return {};
    return events.error();
  }
};

}  // namespace

const Codec& msgpack_codec() {
  static const MessagePackCodec codec;
  return codec;
}

}  // namespace tessera::json
