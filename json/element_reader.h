// What the slicer looks up inside one record or included resource: id, version, type, and the linkage of its
// relationships (JSON:API 1.1, "Resource Linkage"). The slicer knows the place, this class what is wanted
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/pointer_set.h"
#include "json/slicer.h"

namespace tessera::json {

// A string with its quotes, a number, true, false or null, as the document writes it.
struct ScalarToken {
  enum class Type : std::uint8_t { string, number, boolean, null };
  std::string_view token;
  Type type;
  bool escaped = false;

  bool is_string() const { return type == Type::string; }
  // A string's decoded text, else the token.
  std::string text() const;
};

// Where in an element's linkage a container is.
enum class Linkage : std::uint8_t {
  none,
  element,        // `relationships` may follow
  relationships,  // its members are relationships
  relationship,   // `data` may follow
  identifiers,    // an array of resource identifiers
  identifier,     // `type` and `id` may follow
};

// What the next container inside of a container there is, if it is one of the right kind.
Linkage linkage_of_next(Linkage parent, bool parent_is_array, std::string_view key);

class ElementReader {
 public:
  using Mask = PointerSet::Mask;

  explicit ElementReader(const CollectionShape& shape);

  // Begins an element at this offset of the document.
  void begin(std::size_t at, bool is_record);
  bool is_record() const { return is_record_; }
  // What is looked up in it, and where its linkage begins.
  const PointerSet& pointers() const { return is_record_ ? record_ : resource_; }
  Linkage linkage() const { return json_api_ ? Linkage::element : Linkage::none; }

  // A name on the way to something came twice.
  void add_repetition() { is_ambiguous_ = true; }
  // A scalar at the end of these pointers.
  void add(Mask ending, const ScalarToken& scalar);

  void begin_identifier();
  void add_to_identifier(std::string_view key, const ScalarToken& scalar);
  void end_identifier();

  // The element, which ends before this offset; unset when its identity is missing, or there twice.
  std::optional<RecordSlice> end_record(std::string_view document, std::size_t end);
  std::optional<ResourceSlice> end_resource(std::string_view document, std::size_t end);

 private:
  const bool json_api_;
  PointerSet record_;
  PointerSet resource_;
  Mask id_bit_ = 0;  // of both sets
  Mask type_bit_ = 0;
  Mask version_bit_ = 0;

  std::size_t begin_ = 0;
  bool is_record_ = false;
  bool is_ambiguous_ = false;
  std::optional<Id> id_;
  std::optional<std::string> version_;
  std::string type_;
  std::vector<Link> links_;

  struct Identifier {
    unsigned types = 0;
    unsigned ids = 0;
    Link link;
  };
  Identifier identifier_;
};

}  // namespace tessera::json
