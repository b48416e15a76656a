// Layout in cache/README.md. Invariant of reading: no length is trusted before it is compared with what is
// left, so a hostile value costs no more than its own size. The checksum is for accidents (a cut value, a key
// of another record, a foreign writer), not against forgers: who can write into Redis can also compute it.
#include "cache/stored_value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <xxhash.h>

namespace tessera::cache {
namespace {

constexpr std::string_view kMagic = "TSRA";
constexpr char kFormat = 2;
constexpr char kFragment = 'f';
constexpr char kEnvelopes = 'e';
constexpr std::size_t kChecksumOffset = kMagic.size() + 2;
constexpr std::size_t kHeadSize = kChecksumOffset + 8;

std::uint64_t checksum(std::string_view key, std::string_view content) {
  const std::uint64_t of_key = XXH3_64bits(key.data(), key.size());
  return XXH3_64bits_withSeed(content.data(), content.size(), of_key);
}

class Writer {
 public:
  Writer(char kind, std::size_t content_size) {
    value_.reserve(kHeadSize + content_size);
    value_ += kMagic;
    value_ += kFormat;
    value_ += kind;
    value_.append(8, '\0');
  }

  template <class Integer>
  void number(Integer value) {
    put(value_.size(), value);
  }
  void bytes(std::string_view text) { value_ += text; }
  void text(std::string_view text) {
    number(static_cast<std::uint32_t>(text.size()));
    bytes(text);
  }
  void texts(const std::vector<std::string>& list) {
    number(static_cast<std::uint32_t>(list.size()));
    for (const std::string& element : list) text(element);
  }
  std::string finish(std::string_view key) {
    put(kChecksumOffset, checksum(key, std::string_view(value_).substr(kHeadSize)));
    return std::move(value_);
  }

 private:
  // Little-endian, over what is there or behind it.
  template <class Integer>
  void put(std::size_t offset, Integer value) {
    auto rest = static_cast<std::uint64_t>(value);
    if (value_.size() < offset + sizeof(Integer)) value_.resize(offset + sizeof(Integer));
    for (std::size_t i = 0; i < sizeof(Integer); ++i, rest >>= 8U) {
      value_[offset + i] = static_cast<char>(rest & 0xFFU);
    }
  }

  std::string value_;
};

// After a failed read every further one fails too, so callers check once.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  template <class Integer>
  Integer number() {
    std::uint64_t value = 0;
    const std::string_view raw = bytes(sizeof(Integer));
    for (std::size_t i = raw.size(); i > 0; --i) value = value << 8U | static_cast<unsigned char>(raw[i - 1]);
    return static_cast<Integer>(value);
  }
  std::string_view bytes(std::size_t count) {
    if (rest_.size() < count) {
      is_good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view text() { return bytes(number<std::uint32_t>()); }
  // How many elements of at least `least` bytes follow; 0 when so many cannot.
  std::size_t count(std::size_t least) {
    const std::size_t elements = number<std::uint32_t>();
    if (elements <= rest_.size() / least) return elements;
    is_good_ = false;
    return 0;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> list(count(sizeof(std::uint32_t)));
    for (std::string& element : list) element = text();
    return list;
  }
  bool is_good() const { return is_good_; }
  bool is_done() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

// The content behind the head, when the head is right.
Result<std::string_view> open(std::string_view key, std::string_view value, char kind) {
  if (value.size() < kHeadSize || !value.starts_with(kMagic)) return Error::corrupt_value;
  if (value[kMagic.size()] != kFormat || value[kMagic.size() + 1] != kind) return Error::corrupt_value;
  const auto stored = Reader(value.substr(kChecksumOffset)).number<std::uint64_t>();
  const std::string_view content = value.substr(kHeadSize);
  if (stored != checksum(key, content)) return Error::corrupt_value;
  return content;
}

std::int64_t microseconds(SystemTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

// Unset when the clock cannot hold it.
std::optional<SystemTime> system_time(std::int64_t microseconds_since_epoch) {
  constexpr auto kMost =
      std::chrono::duration_cast<std::chrono::microseconds>(SystemTime::duration::max()).count();
  if (microseconds_since_epoch < 0 || microseconds_since_epoch > kMost) return std::nullopt;
  return SystemTime(std::chrono::microseconds(microseconds_since_epoch));
}

void write_envelope(Writer& writer, const Envelope& envelope) {
  writer.number(static_cast<std::uint32_t>(envelope.parts.size()));
  for (const Envelope::Part& part : envelope.parts) {
    writer.number(static_cast<std::uint8_t>(part.kind));
    writer.text(part.text);
  }
  for (const auto* separator : {&envelope.separator, &envelope.included_separator}) {
    writer.number(static_cast<std::uint8_t>(separator->has_value()));
    if (*separator) writer.text(**separator);
  }
}

bool read_envelope(Reader& reader, Envelope& envelope) {
  constexpr std::size_t kLeastPart = 5;  // kind, length
  envelope.parts.resize(reader.count(kLeastPart));
  for (Envelope::Part& part : envelope.parts) {
    const auto kind = reader.number<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(Envelope::Kind::member)) return false;
    part.kind = static_cast<Envelope::Kind>(kind);
    part.text = reader.text();
  }
  for (auto* separator : {&envelope.separator, &envelope.included_separator}) {
    const auto is_set = reader.number<std::uint8_t>();
    if (is_set > 1) return false;
    if (is_set == 1) *separator = reader.text();
  }
  return reader.is_good();
}

}  // namespace

std::string encode_fragment(std::string_view key, const Fragment& fragment,
                            const std::vector<std::string>& vary) {
  const FragmentView view = fragment.view();
  Writer writer(kFragment, fragment.memory_bytes());
  writer.number(microseconds(view.born));
  writer.text(fragment.version());
  writer.texts(vary);
  writer.bytes(view.content.view());
  writer.text(view.bytes);
  writer.text(view.own_key);
  writer.number(static_cast<std::uint32_t>(view.resources.size()));
  for (const ResourceView& resource : view.resources) {
    writer.text(resource.key);
    writer.text(resource.bytes);
  }
  return writer.finish(key);
}

Result<StoredFragment> decode_fragment(std::string_view key, std::string_view value, const json::Id& id) {
  const Result<std::string_view> content = open(key, value, kFragment);
  if (content.has_error()) return content.error();
  Reader reader(*content);
  const std::optional<SystemTime> born = system_time(reader.number<std::int64_t>());
  const std::string_view version = reader.text();
  StoredFragment stored;
  stored.vary = reader.texts();
  Digest digest;
  const std::string_view digest_bytes = reader.bytes(digest.bytes.size());
  std::copy(digest_bytes.begin(), digest_bytes.end(), digest.bytes.begin());
  const std::string_view record = reader.text();
  const std::string_view own_key = reader.text();
  constexpr std::size_t kLeastResource = 8;  // two lengths
  std::vector<ResourceView> resources(reader.count(kLeastResource));
  for (ResourceView& resource : resources) {
    resource.key = reader.text();
    resource.bytes = reader.text();
  }
  if (!reader.is_done() || !born) return Error::corrupt_value;
  stored.fragment =
      std::make_shared<const Fragment>(id, std::string(version), record, own_key, resources, *born, digest);
  return stored;
}

std::string encode_envelopes(std::string_view key, const EnvelopeSet& envelopes) {
  Writer writer(kEnvelopes, envelopes.memory_bytes());
  writer.number(microseconds(envelopes.born));
  writer.text(envelopes.content_type);
  writer.text(envelopes.content_language);
  writer.texts(envelopes.vary);
  for (const std::optional<Envelope>& form : envelopes.forms) {
    writer.number(static_cast<std::uint8_t>(form.has_value()));
    if (form) write_envelope(writer, *form);
  }
  return writer.finish(key);
}

Result<EnvelopeSet> decode_envelopes(std::string_view key, std::string_view value) {
  const Result<std::string_view> content = open(key, value, kEnvelopes);
  if (content.has_error()) return content.error();
  Reader reader(*content);
  const std::optional<SystemTime> born = system_time(reader.number<std::int64_t>());
  if (!born) return Error::corrupt_value;
  EnvelopeSet envelopes;
  envelopes.born = *born;
  envelopes.content_type = reader.text();
  envelopes.content_language = reader.text();
  envelopes.vary = reader.texts();
  for (std::optional<Envelope>& form : envelopes.forms) {
    const auto is_set = reader.number<std::uint8_t>();
    if (is_set > 1) return Error::corrupt_value;
    if (is_set == 1 && !read_envelope(reader, form.emplace())) return Error::corrupt_value;
  }
  if (!reader.is_done()) return Error::corrupt_value;
  return envelopes;
}

}  // namespace tessera::cache
