// Invariant: frames_ holds one frame for each open container of interest, from the outside in, so a value is
// of interest only while depth_ == frames_.size().
#include "cache/manifest_reader.h"

#include <utility>

namespace tessera::cache {

std::string_view ManifestReader::kept(json::RawString string) {
  if (!string.escaped) return string.raw;
  if (parts_.decoded.capacity() < parts_.document.size()) parts_.decoded.reserve(parts_.document.size());
  const std::size_t offset = parts_.decoded.size();
  json::append_decoded(parts_.decoded, string.raw);
  return std::string_view(parts_.decoded).substr(offset);
}

ManifestReader::Place ManifestReader::place_of_next(const json::PointerSet& pointers) {
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
  for (const ManifestMember& member : parts_.members) {
    if (member.name == name) return false;
  }
  parts_.members.push_back({name, value});
  return true;
}

}  // namespace tessera::cache
