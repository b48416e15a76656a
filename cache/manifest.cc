#include "cache/manifest.h"

#include <cstdint>
#include <utility>

#include <xxhash.h>

#include "cache/manifest_parts.h"
#include "cache/manifest_reader.h"
#include "json/sax.h"

namespace tessera::cache {

std::size_t IdHash::operator()(EntryId id) const {
  return XXH3_64bits_withSeed(id.text.data(), id.text.size(), id.is_number ? 1 : 0);
}

namespace {

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
  for (const ManifestMember& member : parts_->members) {
    if (member.name == name) return member.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Manifest::member_names() const {
  std::vector<std::string_view> names;
  names.reserve(parts_->members.size());
  for (const ManifestMember& member : parts_->members) names.push_back(member.name);
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
    for (const ManifestMember& member : parts_->members) {
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
         parts_->index.bucket_count() * kPerIndexSlot + parts_->members.capacity() * sizeof(ManifestMember);
}

}  // namespace tessera::cache
