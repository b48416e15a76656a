#include "proxy/rendered_records.h"

#include <algorithm>

#include "proxy/response_fields.h"

namespace tessera::proxy {
namespace {

json::Pointer pointer(const std::string& text) {
  return json::Pointer::parse(text).value();  // validated with the settings
}

// Ids match as they are; a manifest whose ids are all numbers matches records whose ids are all strings, and
// the reverse, by their text. Crossed ids are turned into the manifest's kind, so that they are filed as they
// are looked up.
std::vector<std::size_t> join_by_id(std::vector<json::RecordSlice>& records,
                                    const cache::Manifest& manifest) {
  const auto is_number = [](const json::RecordSlice& record) { return record.id.number; };
  const bool all_numbers = std::all_of(records.begin(), records.end(), is_number);
  const bool all_strings = std::none_of(records.begin(), records.end(), is_number);
  const bool crossed =
      (manifest.all_ids_are_numbers() && all_strings) || (manifest.all_ids_are_strings() && all_numbers);
  std::vector<std::size_t> positions;
  positions.reserve(records.size());
  const auto& entries = manifest.entries();
  for (std::size_t i = 0; i < records.size(); ++i) {
    json::Id& id = records[i].id;
    const bool number = crossed ? !id.number : id.number;
    id.number = number;
    // Most responses come in the manifest's order: look there first.
    const std::size_t guess =
        i == 0 || positions[i - 1] == RenderedRecords::kUnlisted ? i : positions[i - 1] + 1;
    if (guess < entries.size() && entries[guess].id == id.text && entries[guess].id_is_number == number) {
      positions.push_back(guess);
    } else {
      positions.push_back(manifest.find(id.text, number).value_or(RenderedRecords::kUnlisted));
    }
  }
  return positions;
}

}  // namespace

RouteShape::RouteShape(const config::RouteSettings& settings)
    : types(settings.types.begin(), settings.types.end()),
      has_included(!settings.included.empty()),
      shows_version(!settings.version.empty()),
      constant_members(settings.constant_members) {
  if (settings.array) collection.array = pointer(*settings.array);
  collection.id = pointer(settings.id);
  if (shows_version) collection.version = pointer(settings.version);
  if (has_included) collection.included = pointer(settings.included);
}

Representation::Representation(const http::Fields& fields)
    : content_type(fields.get("content-type").value_or("")),
      content_language(fields.get("content-language").value_or("")),
      revision(fields.get("tessera-revision").value_or("")) {
  for (std::string& name : vary_names(fields)) {
    if (name == "*") {
      vary_on_everything = true;
    } else if (name != "accept" && name != "accept-encoding" && name != "origin") {
      vary.push_back(std::move(name));
    }
  }
}

std::unique_ptr<RenderedRecords> RenderedRecords::read(std::string document, const RouteShape& shape,
                                                       const cache::Manifest& manifest,
                                                       cache::SystemTime born, Reason& fault) {
  std::unique_ptr<RenderedRecords> rendered(new RenderedRecords);
  rendered->document_ = std::move(document);
  auto slice = json::slice_collection(rendered->document_, shape.collection);
  if (!slice) {
    fault = Reason::not_a_collection;
    return nullptr;
  }
  rendered->slice_ = std::move(*slice);
  rendered->positions_ = join_by_id(rendered->slice_.records, manifest);
  std::vector<std::string_view> versions;
  versions.reserve(rendered->positions_.size());
  for (const std::size_t position : rendered->positions_) {
    versions.push_back(position == kUnlisted ? std::string_view() : manifest.entries()[position].version);
  }
  auto fragments = cache::make_fragments(rendered->slice_, shape.types, versions, born);
  if (!fragments) {
    fault = Reason::not_assemblable;
    return nullptr;
  }
  rendered->fragments_ = std::move(*fragments);
  return rendered;
}

bool RenderedRecords::version_differs(std::size_t record, const cache::Manifest& manifest) const {
  const auto& own = slice_.records[record].version;
  const std::size_t position = positions_[record];
  return own && position != kUnlisted && *own != manifest.entries()[position].version;
}

}  // namespace tessera::proxy
