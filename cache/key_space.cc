#include "cache/key_space.h"

#include <charconv>
#include <utility>

namespace tessera::cache {
namespace {

void append_part(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

std::string representation(const KeySpaceParts& parts) {
  std::string text;
  append_part(text, parts.media_type);
  for (const auto& [name, value] : parts.vary) {
    append_part(text, name);
    append_part(text, value);
  }
  return text;
}

Digest digest_of_space(const KeySpaceParts& parts) {
  return digest_of_parts({parts.prefix, kKeyFormat, parts.route, parts.epoch, parts.schema,
                          representation(parts), parts.parameters, parts.audience});
}

// Reads one part; false when there is none.
bool take_part(std::string_view& key, std::string_view& part) {
  std::size_t length = 0;
  const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), length);
  const auto digits = static_cast<std::size_t>(rest - key.data());
  if (error != std::errc{} || (digits > 1 && key.front() == '0')) return false;
  if (digits == key.size() || *rest != ':' || key.size() - digits - 1 < length) return false;
  part = key.substr(digits + 1, length);
  key.remove_prefix(digits + 1 + length);
  return true;
}

void append_escaped(std::string& pattern, std::string_view text) {
  constexpr std::string_view kGlob = "*?[]\\^-";
  for (const char c : text) {
    if (kGlob.find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
}

}  // namespace

KeySpace::KeySpace(KeySpaceParts parts) : parts_(std::move(parts)), digest_(digest_of_space(parts_)) {
  append_part(redis_head_, parts_.prefix);
  append_part(redis_head_, kKeyFormat);
  append_part(redis_tail_, parts_.route);
  append_part(redis_tail_, parts_.epoch);
  append_part(redis_tail_, parts_.schema);
  append_part(redis_tail_, representation(parts_));
  append_part(redis_tail_, parts_.parameters);
  append_part(redis_tail_, parts_.audience);
}

std::string KeySpace::redis_key(char kind, std::string_view id, bool id_is_number) const {
  std::string key;
  key.reserve(redis_head_.size() + redis_tail_.size() + id.size() + 24);
  key += redis_head_;
  append_part(key, {&kind, 1});
  key += redis_tail_;
  if (kind == kEnvelopeKind) {
    append_part(key, {});
    return key;
  }
  key += std::to_string(id.size() + 1);
  key += ':';
  key += id_is_number ? 'n' : 's';
  key += id;
  return key;
}

std::string redis_pattern(std::string_view prefix, std::string_view route) {
  std::string head;
  append_part(head, prefix);
  std::string pattern;
  if (!route.empty()) append_part(head, kKeyFormat);
  append_escaped(pattern, head);
  if (!route.empty()) {
    pattern += "1:?";  // either kind
    std::string part;
    append_part(part, route);
    append_escaped(pattern, part);
  }
  pattern += '*';
  return pattern;
}

bool parse_redis_key(std::string_view key, ParsedKey& parsed) {
  std::string_view format;
  std::string_view kind;
  std::string_view skipped;
  std::string_view id;
  if (!take_part(key, parsed.prefix) || !take_part(key, format) || !take_part(key, kind)) return false;
  if (format != kKeyFormat || kind.size() != 1) return false;
  if (!take_part(key, parsed.route)) return false;
  constexpr int kPartsBetween = 5;  // epoch, schema, representation, parameters, audience
  for (int i = 0; i < kPartsBetween; ++i) {
    if (!take_part(key, skipped)) return false;
  }
  if (!take_part(key, id) || !key.empty()) return false;
  parsed.kind = kind.front();
  if (parsed.kind == kEnvelopeKind) {
    parsed.id = {};
    parsed.id_is_number = false;
    return id.empty();
  }
  if (parsed.kind != kFragmentKind || id.empty() || (id.front() != 's' && id.front() != 'n')) return false;
  parsed.id_is_number = id.front() == 'n';
  parsed.id = id.substr(1);
  return true;
}

}  // namespace tessera::cache
