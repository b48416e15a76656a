// Invariants: parts_ is complete before the manifest is shared and never changes afterwards, but for what is
// computed once, on demand. A view points into the document where the text stands there as it is, else into
// `decoded`, which is reserved to the document's length (no decoded text is longer than its source) and so
// never moves.
#include "cache/manifest.h"

#include <cstdint>
#include <mutex>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>
#include <xxhash.h>

#include "json/pointer_set.h"
#include "json/sax.h"

namespace tessera::cache {
namespace {

using json::PointerSet;
using json::RawString;
using Mask = PointerSet::Mask;

struct EntryId {
  std::string_view text;
  bool is_number;
  bool operator==(const EntryId&) const = default;
};

EntryId id_of(const ManifestEntry& entry) {
  return {entry.id, entry.id_is_number};
}

// The set holds positions; both functors look ids up by them.
struct IdHash {
  using is_transparent = void;
  const std::vector<ManifestEntry>* entries;
  std::size_t operator()(EntryId id) const {
    return XXH3_64bits_withSeed(id.text.data(), id.text.size(), id.is_number ? 1 : 0);
  }
  std::size_t operator()(std::uint32_t position) const { return (*this)(id_of((*entries)[position])); }
};

struct IdEqual {
  using is_transparent = void;
  const std::vector<ManifestEntry>* entries;
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    return id_of((*entries)[a]) == id_of((*entries)[b]);
  }
  bool operator()(EntryId id, std::uint32_t position) const { return id == id_of((*entries)[position]); }
  bool operator()(std::uint32_t position, EntryId id) const { return (*this)(id, position); }
};

using IdIndex = boost::unordered_flat_set<std::uint32_t, IdHash, IdEqual>;

struct Member {
  std::string_view name;
  std::string_view value;
};

}  // namespace

struct Manifest::Parts {
  std::string document;
  std::string decoded;
  std::vector<ManifestEntry> entries;
  IdIndex index{0, IdHash{&entries}, IdEqual{&entries}};
  std::string_view schema;
  std::optional<std::string_view> audience;
  std::vector<Member> members;
  std::size_t number_ids = 0;
  bool misses_version = false;

  mutable std::once_flag pairs_once;
  mutable Digest pairs;
  mutable std::once_flag whole_once;
  mutable Digest whole;
};

namespace {

// Reads the document into the parts.
class ManifestReader {
 public:
  ManifestReader(Manifest::Parts& parts, const ManifestShape& shape)
      : parts_(parts), array_level_(shape.array.tokens().size()) {
    way_.add(shape.array);
    id_bit_ = entry_.add(shape.id);
    version_bit_ = entry_.add(shape.version);
  }

  bool begin_object(std::size_t at) { return begin(at, false); }
  bool begin_array(std::size_t at) { return begin(at, true); }
  bool end_object(std::size_t end) { return finish(end); }
  bool end_array(std::size_t end) { return finish(end); }
  bool key(RawString key) {
    if (depth_ == frames_.size()) key_ = key;
    return true;
  }
  bool string(RawString string) { return scalar({string.token(), string, Type::string}); }
  bool number(std::string_view token) { return scalar({token, {token, false}, Type::number}); }
  bool literal(std::string_view token) {
    return scalar({token, {token, false}, token == "null" ? Type::null : Type::boolean});
  }
  Error error() const { return Error::not_a_manifest; }

  bool is_complete() const { return has_array_; }

 private:
  enum class Type : std::uint8_t { string, number, boolean, null };
  struct Scalar {
    std::string_view token;
    RawString text;
    Type type;
  };
  enum class Role : std::uint8_t { way, members, array, entry };
  struct Frame {
    Role role;
    bool is_array;
    Mask pointers;
    std::size_t level;
    std::size_t next = 0;
    Mask followed = 0;  // pointers that a member of it has led on already
  };
  struct Place {
    Mask pointers;
    Mask ending;
    std::size_t level;
    bool is_repeated;  // an earlier member of the same name led to the same end
  };

  std::string_view kept(RawString string);
  Place place_of_next(const PointerSet& pointers);

  bool begin(std::size_t at, bool is_array);
  bool begin_on_way(std::size_t at, bool is_array);
  bool begin_entry(bool is_array);
  bool begin_in_entry(bool is_array);
  bool finish(std::size_t end);
  bool end_entry();
  bool scalar(const Scalar& value);
  bool top_level(const Scalar& value);
  bool capture(Mask ending, const Scalar& value);
  bool add_member(std::string_view value);

  Manifest::Parts& parts_;
  const std::size_t array_level_;
  PointerSet way_;
  PointerSet entry_;
  Mask id_bit_ = 0;
  Mask version_bit_ = 0;

  std::size_t depth_ = 0;
  std::vector<Frame> frames_;
  RawString key_{};
  std::size_t value_begin_ = 0;
  bool has_array_ = false;
  bool has_schema_ = false;
  bool has_audience_ = false;
  bool has_members_ = false;
  ManifestEntry current_;
  bool has_id_ = false;
};

std::string_view ManifestReader::kept(RawString string) {
  if (!string.escaped) return string.raw;
  if (parts_.decoded.capacity() < parts_.document.size()) parts_.decoded.reserve(parts_.document.size());
  const std::size_t offset = parts_.decoded.size();
  json::append_decoded(parts_.decoded, string.raw);
  return std::string_view(parts_.decoded).substr(offset);
}

ManifestReader::Place ManifestReader::place_of_next(const PointerSet& pointers) {
  Frame& parent = frames_.back();
  Place place{};
  place.level = parent.level + 1;
  if (parent.is_array) {
    place.pointers = pointers.step(parent.pointers, parent.level, parent.next++);
  } else if (key_.escaped) {
    place.pointers = pointers.step(parent.pointers, parent.level, json::decoded(key_));
  } else {
    place.pointers = pointers.step(parent.pointers, parent.level, key_.raw);
  }
  if (place.pointers != 0) {
    place.ending = pointers.ending(place.pointers, place.level);
    place.is_repeated = (place.pointers & parent.followed) != 0;
    parent.followed |= place.pointers;
  }
  return place;
}

bool ManifestReader::begin(std::size_t at, bool is_array) {
  const bool is_of_interest = depth_ == frames_.size();
  ++depth_;
  if (!is_of_interest) return true;
  if (frames_.empty()) {
    if (array_level_ == 0) {
      if (!is_array) return false;
      has_array_ = true;
      frames_.push_back({Role::array, true, 0, 0});
    } else {
      frames_.push_back({Role::way, is_array, way_.all(), 0});
    }
    return true;
  }
  switch (frames_.back().role) {
    case Role::way:
      return begin_on_way(at, is_array);
    case Role::members:
      value_begin_ = at;
      return true;
    case Role::array:
      return begin_entry(is_array);
    case Role::entry:
      return begin_in_entry(is_array);
  }
  return false;
}

bool ManifestReader::begin_on_way(std::size_t at, bool is_array) {
  const Place place = place_of_next(way_);
  if (place.is_repeated) return false;
  if (place.ending != 0) {
    if (!is_array) return false;
    has_array_ = true;
    frames_.push_back({Role::array, true, 0, 0});
    return true;
  }
  if (place.pointers != 0) {
    frames_.push_back({Role::way, is_array, place.pointers, place.level});
    return true;
  }
  value_begin_ = at;
  if (frames_.size() != 1 || frames_.back().is_array) return true;
  const std::string name = json::decoded(key_);
  if (name == "schema" || name == "audience") return false;
  if (name != "members") return true;
  if (is_array || has_members_) return false;
  has_members_ = true;
  frames_.push_back({Role::members, false, 0, 0});
  return true;
}

bool ManifestReader::begin_entry(bool is_array) {
  current_ = {};
  has_id_ = false;
  frames_.push_back({Role::entry, is_array, entry_.all(), 0});
  return true;
}

bool ManifestReader::begin_in_entry(bool is_array) {
  const Place place = place_of_next(entry_);
  // Neither an id nor a version is a container.
  if (place.ending != 0 || place.is_repeated) return false;
  if (place.pointers != 0) frames_.push_back({Role::entry, is_array, place.pointers, place.level});
  return true;
}

bool ManifestReader::finish(std::size_t end) {
  --depth_;
  if (depth_ > frames_.size()) return true;
  if (depth_ == frames_.size()) {
    if (frames_.back().role != Role::members) return true;
    return add_member(std::string_view(parts_.document).substr(value_begin_, end - value_begin_));
  }
  const Role closed = frames_.back().role;
  frames_.pop_back();
  return closed != Role::entry || frames_.back().role != Role::array || end_entry();
}

bool ManifestReader::end_entry() {
  if (!has_id_) return false;
  if (current_.id_is_number) ++parts_.number_ids;
  if (!current_.has_version) parts_.misses_version = true;
  parts_.entries.push_back(current_);
  return true;
}

bool ManifestReader::scalar(const Scalar& value) {
  if (depth_ != frames_.size()) return true;
  if (frames_.empty()) return false;
  switch (frames_.back().role) {
    case Role::way:
      return top_level(value);
    case Role::members:
      return add_member(value.token);
    case Role::array: {  // an entry that is nothing but its id
      current_ = {};
      has_id_ = false;
      return capture(entry_.ending(entry_.all(), 0), value) && end_entry();
    }
    case Role::entry: {
      const Place place = place_of_next(entry_);
      return !place.is_repeated && (place.ending == 0 || capture(place.ending, value));
    }
  }
  return false;
}

bool ManifestReader::top_level(const Scalar& value) {
  const Place place = place_of_next(way_);
  if (place.pointers != 0) return false;
  if (frames_.size() != 1 || frames_.back().is_array) return true;
  const std::string name = json::decoded(key_);
  const bool is_text = value.type == Type::string || value.type == Type::number;
  if (name == "schema") {
    if (std::exchange(has_schema_, true)) return false;
    if (is_text) parts_.schema = kept(value.text);
    return is_text || value.type == Type::null;
  }
  if (name == "audience") {
    if (std::exchange(has_audience_, true)) return false;
    if (is_text) parts_.audience = kept(value.text);
    return is_text || value.type == Type::null;
  }
  if (name == "members") return !std::exchange(has_members_, true) && value.type == Type::null;
  return true;
}

bool ManifestReader::capture(Mask ending, const Scalar& value) {
  if ((ending & id_bit_) != 0) {
    has_id_ = true;
    if (value.type != Type::string && value.type != Type::number) return false;
    current_.id = kept(value.text);
    current_.id_is_number = value.type == Type::number;
  }
  if ((ending & version_bit_) != 0) {
    if (value.type != Type::null) current_.version = kept(value.text);
    current_.has_version = !current_.version.empty();
  }
  return true;
}

bool ManifestReader::add_member(std::string_view value) {
  constexpr std::size_t kMost = 64;  // they are looked up one by one
  if (parts_.members.size() == kMost) return false;
  const std::string_view name = kept(key_);
  for (const Member& member : parts_.members) {
    if (member.name == name) return false;
  }
  parts_.members.push_back({name, value});
  return true;
}

bool build_index(Manifest::Parts& parts) {
  parts.index.reserve(parts.entries.size());
  for (std::size_t i = 0; i < parts.entries.size(); ++i) {
    if (!parts.index.insert(static_cast<std::uint32_t>(i)).second) return false;
  }
  return true;
}

void append_part(std::string& text, std::string_view part) {
  std::uint64_t length = part.size();
  for (int i = 0; i < 4; ++i) {
    text.push_back(static_cast<char>(length & 0xFFU));
    length >>= 8U;
  }
  text += part;
}

}  // namespace

Result<std::shared_ptr<const Manifest>> Manifest::parse(std::string document, const ManifestShape& shape) {
  auto parts = std::make_unique<Parts>();
  parts->document = std::move(document);
  ManifestReader reader(*parts, shape);
  const json::Result<void> read = json::read_document(parts->document, reader);
  if (read.has_error()) return read.error();
  if (!reader.is_complete()) return Error::not_a_manifest;
  if (!build_index(*parts)) return Error::duplicate_id;
  return std::make_shared<const Manifest>(std::move(parts));
}

Manifest::Manifest(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Manifest::~Manifest() = default;

std::string_view Manifest::document() const {
  return parts_->document;
}

std::string_view Manifest::schema() const {
  return parts_->schema;
}

std::optional<std::string_view> Manifest::audience() const {
  return parts_->audience;
}

const std::vector<ManifestEntry>& Manifest::entries() const {
  return parts_->entries;
}

bool Manifest::all_ids_are_numbers() const {
  return !parts_->entries.empty() && parts_->number_ids == parts_->entries.size();
}

bool Manifest::all_ids_are_strings() const {
  return !parts_->entries.empty() && parts_->number_ids == 0;
}

bool Manifest::has_missing_version() const {
  return parts_->misses_version;
}

std::optional<std::string_view> Manifest::member(std::string_view name) const {
  for (const Member& member : parts_->members) {
    if (member.name == name) return member.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Manifest::member_names() const {
  std::vector<std::string_view> names;
  names.reserve(parts_->members.size());
  for (const Member& member : parts_->members) names.push_back(member.name);
  return names;
}

const Digest& Manifest::pairs_digest() const {
  std::call_once(parts_->pairs_once, [this] {
    std::string text;
    text.reserve(parts_->document.size() + 10 * parts_->entries.size());
    append_part(text, parts_->schema);
    for (const ManifestEntry& entry : parts_->entries) {
      text.push_back(entry.id_is_number ? 'n' : 's');
      append_part(text, entry.id);
      text.push_back(entry.has_version ? 'v' : '-');
      append_part(text, entry.version);
    }
    parts_->pairs = digest_of(text);
  });
  return parts_->pairs;
}

const Digest& Manifest::digest() const {
  std::call_once(parts_->whole_once, [this] {
    DigestBuilder builder;
    builder.add(pairs_digest().view());
    builder.add(parts_->audience ? "a" : "-");
    builder.add_part(parts_->audience.value_or(std::string_view()));
    for (const Member& member : parts_->members) {
      builder.add_part(member.name);
      builder.add_part(member.value);
    }
    parts_->whole = builder.finish();
  });
  return parts_->whole;
}

std::optional<std::size_t> Manifest::find(std::string_view id, bool id_is_number) const {
  const auto found = parts_->index.find(EntryId{id, id_is_number});
  if (found == parts_->index.end()) return std::nullopt;
  return *found;
}

std::size_t Manifest::memory_bytes() const {
  constexpr std::size_t kControlBlock = 32;
  constexpr std::size_t kPerIndexSlot = sizeof(std::uint32_t) + 2;  // and its share of the group's metadata
  return sizeof(Manifest) + sizeof(Parts) + kControlBlock + parts_->document.capacity() +
         parts_->decoded.capacity() + parts_->entries.capacity() * sizeof(ManifestEntry) +
         parts_->index.bucket_count() * kPerIndexSlot + parts_->members.capacity() * sizeof(Member);
}

}  // namespace tessera::cache
