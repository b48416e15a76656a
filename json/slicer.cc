// Invariants: frames_ holds one frame for each open container of interest, from the outside in; a container
// of interest has only such around it, so a value is of interest only while depth_ == frames_.size(). Offsets
// are the reader's own, so every view is cut exactly where the document has the value.
//
// A name that an object holds twice is refused where it decides something (the way to the array, an id, a
// version, a type), since parsers do not agree on which one counts (RFC 8259 section 4); elsewhere it is
// kept.
#include "json/slicer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "json/element_reader.h"
#include "json/pointer_set.h"
#include "json/sax.h"

namespace tessera::json {
namespace {

using Mask = PointerSet::Mask;

enum class Role : std::uint8_t {
  way,       // a container on the way to the array, or to `included`
  records,   // the array of records, or one that may be it
  included,  // the array of included resources
  element,   // a record, a resource, or a place inside of one that leads to what is looked up
};

struct Frame {
  Role role;
  bool is_array;
  Linkage linkage = Linkage::none;
  Mask pointers = 0;      // that lead here or on from here
  std::size_t level = 0;  // of this container, in the pointers' terms
  Mask followed = 0;      // pointers that a member of it has led on already
  std::size_t next = 0;   // index of an array's next element
};

// An array that may hold the records.
struct Candidate {
  std::string name;  // of the top-level member, when no pointer says where the array is
  std::string_view bytes;
  std::vector<RecordSlice> records;
  std::optional<Error> error;
  std::optional<std::size_t> member;  // its place in the members, while it may be one
};

class Slicer {
 public:
  Slicer(std::string_view document, const CollectionShape& shape)
      : document_(document), searches_(!shape.array), element_(shape) {
    if (shape.array) array_bit_ = way_.add(*shape.array);
    if (shape.included) included_bit_ = way_.add(*shape.included);
    if (shape.array) slice_.array_pointer = *shape.array;
    slice_.document = document;
  }

  bool begin_object(std::size_t at) { return begin(at, false); }
  bool begin_array(std::size_t at) { return begin(at, true); }
  bool end_object(std::size_t end) { return this->end(end); }
  bool end_array(std::size_t end) { return this->end(end); }
  bool key(RawString key) {
    if (depth_ == frames_.size()) key_ = key;
    return true;
  }
  bool string(RawString string) { return scalar({string.token(), Type::string, string.escaped}); }
  bool number(std::string_view token) { return scalar({token, Type::number}); }
  bool literal(std::string_view token) {
    return scalar({token, token == "null" ? Type::null : Type::boolean});
  }
  Error error() const { return error_; }

  Result<CollectionSlice> finish();

 private:
  using Type = ScalarToken::Type;

  // What the next value of the innermost frame is.
  struct Place {
    Mask pointers = 0;  // that lead to it or on from it
    Mask ending = 0;    // that end at it
    std::size_t level = 0;
    Linkage linkage = Linkage::none;
    bool is_repeated = false;  // an earlier member of the same name led to the same end
  };

  bool fail(Error error) {
    error_ = error;
    return false;
  }
  const PointerSet& pointers_of(const Frame& frame) const {
    if (frame.role == Role::way) return way_;
    return element_.pointers();
  }
  std::string_view key_text();
  Place place_of_next();

  bool begin(std::size_t at, bool is_array);
  bool begin_root(std::size_t at, bool is_array);
  bool begin_on_way(const Place& place, std::size_t at, bool is_array);
  bool begin_records(std::size_t at);
  bool begin_element(std::size_t at, bool is_array, bool is_record);
  void begin_in_element(const Place& place, bool is_array);
  bool end(std::size_t end);
  bool end_element(std::size_t end);

  bool scalar(const ScalarToken& scalar);
  bool bad_element(bool is_record);
  void add_member(std::string_view value);

  std::string_view document_;
  const bool searches_;  // no pointer says where the array is
  PointerSet way_;
  Mask array_bit_ = 0;
  Mask included_bit_ = 0;
  ElementReader element_;

  Error error_ = Error::malformed;
  std::size_t depth_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::string> way_names_;  // tokens that lead to the innermost frame on the way
  RawString key_{};
  std::string decoded_key_;
  std::size_t value_begin_ = 0;  // of a container that is a member on the way and no frame
  std::size_t array_begin_ = 0;
  std::vector<Candidate> candidates_;
  CollectionSlice slice_;
};

std::string_view Slicer::key_text() {
  if (!key_.escaped) return key_.raw;
  decoded_key_.clear();
  append_decoded(decoded_key_, key_.raw);
  return decoded_key_;
}

Slicer::Place Slicer::place_of_next() {
  Frame& parent = frames_.back();
  const PointerSet& pointers = pointers_of(parent);
  Place place;
  place.level = parent.level + 1;
  if (parent.is_array) {
    place.pointers = pointers.step(parent.pointers, parent.level, parent.next++);
  } else {
    place.pointers = pointers.step(parent.pointers, parent.level, key_text());
  }
  if (place.pointers != 0) {
    place.ending = pointers.ending(place.pointers, place.level);
    place.is_repeated = (place.pointers & parent.followed) != 0;
    parent.followed |= place.pointers;
  }
  if (parent.linkage != Linkage::none) {
    place.linkage = linkage_of_next(parent.linkage, parent.is_array, parent.is_array ? "" : key_text());
  }
  return place;
}

bool Slicer::begin(std::size_t at, bool is_array) {
  if (depth_ != frames_.size()) {
    ++depth_;
    return true;
  }
  ++depth_;
  if (frames_.empty()) return begin_root(at, is_array);
  switch (frames_.back().role) {
    case Role::way:
      return begin_on_way(place_of_next(), at, is_array);
    case Role::records:
      return begin_element(at, is_array, true);
    case Role::included:
      return begin_element(at, is_array, false);
    case Role::element:
      begin_in_element(place_of_next(), is_array);
      return true;
  }
  return true;
}

bool Slicer::begin_root(std::size_t at, bool is_array) {
  const Mask ending = way_.ending(way_.all(), 0);
  const bool is_records = is_array && (searches_ || (ending & array_bit_) != 0);
  if (is_records) return begin_records(at);
  frames_.push_back({.role = Role::way, .is_array = is_array, .pointers = way_.all()});
  return true;
}

bool Slicer::begin_on_way(const Place& place, std::size_t at, bool is_array) {
  value_begin_ = at;
  if (place.is_repeated) return fail(Error::array_ambiguous);
  if (is_array && (place.ending & array_bit_) != 0) return begin_records(at);
  if (is_array && (place.ending & included_bit_) != 0) {
    array_begin_ = at;
    frames_.push_back({.role = Role::included, .is_array = true});
    return true;
  }
  const Frame& parent = frames_.back();
  const bool may_be_records = searches_ && is_array && frames_.size() == 1 && !parent.is_array;
  if (may_be_records && key_text() != "included") return begin_records(at);
  if ((place.pointers & ~place.ending) != 0) {
    way_names_.emplace_back(parent.is_array ? std::to_string(parent.next - 1) : std::string(key_text()));
    frames_.push_back(
        {.role = Role::way, .is_array = is_array, .pointers = place.pointers, .level = place.level});
  }
  return true;
}

bool Slicer::begin_records(std::size_t at) {
  array_begin_ = at;
  Candidate& candidate = candidates_.emplace_back();
  if (searches_ && !frames_.empty()) candidate.name = key_text();
  frames_.push_back({.role = Role::records, .is_array = true});
  return true;
}

bool Slicer::begin_element(std::size_t at, bool is_array, bool is_record) {
  if (is_record && candidates_.back().error) return true;
  if (is_array) return bad_element(is_record);
  element_.begin(at, is_record);
  frames_.push_back({.role = Role::element,
                     .is_array = false,
                     .linkage = element_.linkage(),
                     .pointers = element_.pointers().all()});
  return true;
}

void Slicer::begin_in_element(const Place& place, bool is_array) {
  if (place.is_repeated) element_.add_repetition();
  Linkage linkage = place.linkage;
  if (linkage == Linkage::identifiers && !is_array) linkage = Linkage::identifier;
  if (is_array && linkage != Linkage::identifiers) linkage = Linkage::none;
  const auto leading_on = static_cast<Mask>(place.pointers & ~place.ending);
  if (leading_on == 0 && linkage == Linkage::none) return;
  if (linkage == Linkage::identifier) element_.begin_identifier();
  frames_.push_back({.role = Role::element,
                     .is_array = is_array,
                     .linkage = linkage,
                     .pointers = leading_on,
                     .level = place.level});
}

bool Slicer::end(std::size_t end) {
  --depth_;
  if (depth_ > frames_.size()) return true;
  if (depth_ == frames_.size()) {
    if (frames_.back().role == Role::way) add_member(document_.substr(value_begin_, end - value_begin_));
    return true;
  }
  const Frame frame = frames_.back();
  frames_.pop_back();
  switch (frame.role) {
    case Role::way:
      if (!way_names_.empty()) way_names_.pop_back();
      return true;
    case Role::records: {
      Candidate& candidate = candidates_.back();
      candidate.bytes = document_.substr(array_begin_, end - array_begin_);
      if (searches_ && !frames_.empty()) {
        candidate.member = slice_.members.size();
        slice_.members.push_back({candidate.name, candidate.bytes});
      }
      return true;
    }
    case Role::included:
      slice_.included_array = document_.substr(array_begin_, end - array_begin_);
      return true;
    case Role::element:
      break;
  }
  if (frame.linkage == Linkage::identifier) element_.end_identifier();
  const bool is_whole = frames_.back().role != Role::element;
  return !is_whole || end_element(end);
}

bool Slicer::end_element(std::size_t end) {
  if (element_.is_record()) {
    std::optional<RecordSlice> record = element_.end_record(document_, end);
    if (!record) return bad_element(true);
    candidates_.back().records.push_back(std::move(*record));
  } else {
    std::optional<ResourceSlice> resource = element_.end_resource(document_, end);
    if (!resource) return bad_element(false);
    slice_.included.push_back(std::move(*resource));
  }
  return true;
}

// An array that only may be the records is left out when it turns out to hold something else.
bool Slicer::bad_element(bool is_record) {
  if (!is_record) return fail(Error::resource_without_identity);
  if (!searches_) return fail(Error::record_without_id);
  candidates_.back().error = Error::record_without_id;
  candidates_.back().records.clear();
  return true;
}

bool Slicer::scalar(const ScalarToken& scalar) {
  if (depth_ != frames_.size()) return true;
  if (frames_.empty()) return fail(Error::array_not_found);
  switch (frames_.back().role) {
    case Role::way:
      if (place_of_next().is_repeated) return fail(Error::array_ambiguous);
      add_member(scalar.token);
      return true;
    case Role::records:
      return bad_element(true);
    case Role::included:
      return bad_element(false);
    case Role::element:
      break;
  }
  if (frames_.back().linkage == Linkage::identifier) element_.add_to_identifier(key_text(), scalar);
  const Place place = place_of_next();
  if (place.is_repeated) element_.add_repetition();
  if (place.ending != 0) element_.add(place.ending, scalar);
  return true;
}

void Slicer::add_member(std::string_view value) {
  const Frame& parent = frames_.back();
  const std::string name = parent.is_array ? std::to_string(parent.next - 1) : std::string(key_text());
  if (frames_.size() == 1 && !parent.is_array) {
    slice_.members.push_back({name, value});
    return;
  }
  std::string path;
  for (const std::string& token : way_names_) Pointer::append_token(path, token);
  Pointer::append_token(path, name);
  slice_.members.push_back({std::move(path), value});
}

Result<CollectionSlice> Slicer::finish() {
  // `data` goes before the others; for the rest of them any two are one too many.
  const auto is_data = [](const Candidate& candidate) { return candidate.name == "data"; };
  const bool has_data = std::any_of(candidates_.begin(), candidates_.end(), is_data);
  Candidate* chosen = nullptr;
  for (Candidate& candidate : candidates_) {
    if (has_data && !is_data(candidate)) continue;
    if (chosen != nullptr) return Error::array_ambiguous;
    chosen = &candidate;
  }
  if (chosen == nullptr) return Error::array_not_found;
  if (chosen->error) return *chosen->error;
  if (chosen->member) {
    const auto of_its_name =
        std::count_if(slice_.members.begin(), slice_.members.end(),
                      [&](const MemberSlice& member) { return member.name == chosen->name; });
    if (of_its_name != 1) return Error::array_ambiguous;
    std::string path;
    Pointer::append_token(path, chosen->name);
    slice_.array_pointer = Pointer::parse(path).value();
    slice_.members.erase(slice_.members.begin() + static_cast<std::ptrdiff_t>(*chosen->member));
  }
  slice_.array = chosen->bytes;
  slice_.records = std::move(chosen->records);
  return std::move(slice_);
}

}  // namespace

Result<CollectionSlice> slice_collection(std::string_view document, const CollectionShape& shape) {
  Slicer slicer(document, shape);
  const Result<void> read = read_document(document, slicer);
  if (read.has_error()) return read.error();
  return slicer.finish();
}

}  // namespace tessera::json
