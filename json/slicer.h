// Cuts a collection document into its records without re-rendering a byte: one SAX pass, every result a
// view into the document.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/error.h"
#include "json/pointer.h"

namespace tessera::json {

// Where the records of a document are.
struct CollectionShape {
  std::optional<Pointer> array;  // unset: the document itself when it is an array, else /data when that is an
                                 // array, else the only top-level member (but `included`) that is an array
  Pointer id;                    // of a record, relative to it
  std::optional<Pointer> version;   // of a record, where it shows its version in full
  std::optional<Pointer> included;  // JSON:API: the array of included resources
};

// An id as the document writes it: the decoded text of a string, or a number's own token (never
// re-formatted).
struct Id {
  bool number = false;
  std::string text;
  bool operator==(const Id&) const = default;
};

// A resource identifier of JSON:API linkage: relationships.*.data.
struct Link {
  std::string type;
  std::string id;
  bool operator==(const Link&) const = default;
};

struct RecordSlice {
  std::string_view bytes;  // from '{' to '}'
  Id id;
  std::optional<std::string>
      version;              // a string's decoded text, another scalar's token; unset when null or absent
  std::string type;         // JSON:API: the record's own /type, else empty
  std::vector<Link> links;  // JSON:API: in document order
};

struct ResourceSlice {
  std::string_view bytes;
  std::string type;
  std::string id;
  std::vector<Link> links;
};

// A member of an object on the way to the array that is not itself on that way: `meta`, or `/data/total` when
// it lies deeper than the top level.
struct MemberSlice {
  std::string name;
  std::string_view value;
};

struct CollectionSlice {
  std::string_view document;
  Pointer array_pointer;   // where the array was found
  std::string_view array;  // from '[' to ']'
  std::vector<RecordSlice> records;
  std::optional<std::string_view> included_array;  // from '[' to ']', when the shape names it and it is there
  std::vector<ResourceSlice> included;
  std::vector<MemberSlice> members;  // in document order
};

// The views live as long as the document. Checks grammar, UTF-8 and depth of the whole document.
Result<CollectionSlice> slice_collection(std::string_view document, const CollectionShape& shape);

}  // namespace tessera::json
