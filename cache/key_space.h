// Everything of a fragment's key but the id: fragments of one key space render alike for every request that
// names that space.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/digest.h"

namespace tessera::cache {

struct KeySpaceParts {
  std::string prefix;                                     // [redis] prefix
  std::string route;                                      // the route's name
  std::string epoch;                                      // the route's epoch
  std::string schema;                                     // the manifest's schema
  std::string media_type;                                 // of the records' representation
  std::vector<std::pair<std::string, std::string>> vary;  // lower-case name, value as sent; sorted by name
  std::string parameters;  // the query parameters that reach the records request, as sent
  std::string audience;    // "a" + manifest's audience, "s" shared, "h" + hmac in hex, "p" no credentials
  bool remote = true;      // may go to L2 (false: private without a secret)
};

inline constexpr std::string_view kKeyFormat = "2";
inline constexpr char kFragmentKind = 'f';
inline constexpr char kEnvelopeKind = 'e';

// Immutable value. Keys are made here and nowhere else.
class KeySpace {
 public:
  explicit KeySpace(KeySpaceParts parts);

  const KeySpaceParts& parts() const { return parts_; }
  // Names the space in L1: digest of all parts, each with its length before it.
  const Digest& digest() const { return digest_; }
  bool remote() const { return parts_.remote; }

  // The Redis key of a record: prefix, format, kind, route, epoch, schema, representation, parameters,
  // audience, id; each part written as its length in decimal, ':' and its bytes. `kind` is kFragmentKind or
  // kEnvelopeKind (whose id is empty).
  std::string redis_key(char kind, std::string_view id, bool id_is_number) const;

 private:
  KeySpaceParts parts_;
  Digest digest_;
  std::string redis_head_;  // the parts before the kind
  std::string redis_tail_;  // those between the kind and the id
};

// The glob pattern (SCAN MATCH) that every key of the route, or of everything when `route` is empty, matches;
// glob characters are escaped.
std::string redis_pattern(std::string_view prefix, std::string_view route);

// What a Redis key says; false when it is not one of ours. An envelope's key has no id.
struct ParsedKey {
  std::string_view prefix;
  std::string_view route;
  char kind = 'f';
  std::string_view id;
  bool id_is_number = false;
};
bool parse_redis_key(std::string_view key, ParsedKey& parsed);

}  // namespace tessera::cache
