// Reads a manifest's document into its parts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cache/manifest_parts.h"
#include "json/pointer_set.h"
#include "json/sax.h"

namespace tessera::cache {

// A handler of json::read_document. REQUIRED: the parts hold the document.
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
  bool key(json::RawString key) {
    if (depth_ == frames_.size()) key_ = key;
    return true;
  }
  bool string(json::RawString string) { return scalar({string.token(), string, Type::string}); }
  bool number(std::string_view token) { return scalar({token, {token, false}, Type::number}); }
  bool literal(std::string_view token) {
    return scalar({token, {token, false}, token == "null" ? Type::null : Type::boolean});
  }
  Error error() const { return Error::not_a_manifest; }

  bool is_complete() const { return has_array_; }

 private:
  using Mask = json::PointerSet::Mask;
  enum class Type : std::uint8_t { string, number, boolean, null };
  struct Scalar {
    std::string_view token;
    json::RawString text;
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

  std::string_view kept(json::RawString string);
  Place place_of_next(const json::PointerSet& pointers);

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
  json::PointerSet way_;
  json::PointerSet entry_;
  Mask id_bit_ = 0;
  Mask version_bit_ = 0;

  std::size_t depth_ = 0;
  std::vector<Frame> frames_;
  json::RawString key_{};
  std::size_t value_begin_ = 0;
  bool has_array_ = false;
  bool has_schema_ = false;
  bool has_audience_ = false;
  bool has_members_ = false;
  ManifestEntry current_;
  bool has_id_ = false;
};

}  // namespace tessera::cache
