// How a JSON value is kept in a column of a database: as YAML, as JSON or as MessagePack. One interface,
// three implementations, so that their cost and their size can be compared.
//
// A value comes back equal from every codec: nulls, booleans, texts, arrays, objects with their members in
// order, integers from -2^63 to 2^64-1, and doubles. Nothing becomes anything else on the way: a text that
// looks like a number, a date or a yes stays a text, for readers of YAML 1.1 and 1.2 alike.
//
// - Numbers. JSON and YAML keep them as they are written, integers of any length too (in YAML, an exponent
//   gets the sign and the fraction that YAML 1.1 wants); MessagePack keeps the value, in the shortest form
//   that is exact, and refuses integers beyond 64 bits. A fraction or exponent that no finite double stands
//   for is refused by all.
// - Members that come twice in one object are refused, when encoding and when decoding: readers differ in
//   which one counts.
// - Nesting deeper than kMaxDepth, and what is not UTF-8, is refused both ways.
// - Decoders take what these encoders write, and no more of a format than that needs. In YAML anchors,
//   aliases, tags, more than one document, and plain scalars that YAML 1.1 and 1.2 take differently are
//   refused; in MessagePack binary data, extensions and names that are no text.
//
// Pure; safe from any thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "json/error.h"
#include "json/writer.h"

namespace tessera::json {

class Codec {
 public:
  virtual ~Codec() = default;

  virtual std::string_view name() const = 0;  // as in a path: yaml, json, msgpack
  virtual bool is_text() const = 0;           // what it stores is UTF-8; else any bytes

  // The stored form of one JSON document. Error::malformed, too_deep, name_repeated or number_not_kept.
  virtual Result<std::string> encode(std::string_view document) const = 0;

  // Writes the value that these bytes stand for, with the writer's escapes. Error::undecodable, no_json_form,
  // too_deep, name_repeated or number_not_kept; then part of it may have been written.
  virtual Result<void> decode(std::string_view stored, Writer& json) const = 0;
};

const Codec& yaml_codec();
const Codec& json_codec();
const Codec& msgpack_codec();

std::array<const Codec*, 3> all_codecs();
const Codec* find_codec(std::string_view name);  // null: there is none of that name

}  // namespace tessera::json
