#include "cache/envelope.h"

#include <algorithm>
#include <utility>

namespace tessera::cache {
namespace {

using Kind = Envelope::Kind;

// A stretch of the document that is not literal.
struct Piece {
  std::string_view bytes;
  Kind kind;
  std::string_view name;
};

// From the first slice to the end of the last one.
template <class Slices>
std::string_view covered(const Slices& slices) {
  const char* begin = slices.front().bytes.data();
  const char* end = slices.back().bytes.data() + slices.back().bytes.size();
  return {begin, static_cast<std::size_t>(end - begin)};
}

// What stands between the slices, where it is always the same; unset when there are fewer than two.
template <class Slices>
Result<std::optional<std::string>> separator_of(const Slices& slices) {
  std::optional<std::string_view> separator;
  for (std::size_t i = 1; i < slices.size(); ++i) {
    const char* begin = slices[i - 1].bytes.data() + slices[i - 1].bytes.size();
    const std::string_view between(begin, static_cast<std::size_t>(slices[i].bytes.data() - begin));
    if (separator && *separator != between) return Error::not_assemblable;
    separator = between;
  }
  if (!separator) return std::optional<std::string>();
  return std::optional<std::string>(*separator);
}

EnvelopeForm form_of(const json::CollectionSlice& slice, bool has_included) {
  if (slice.records.empty()) return EnvelopeForm::without_records;
  if (has_included && slice.included.empty()) return EnvelopeForm::without_included;
  return EnvelopeForm::full;
}

void append_literal(Envelope& envelope, std::string_view text) {
  if (text.empty()) return;
  if (!envelope.parts.empty() && envelope.parts.back().kind == Kind::literal) {
    envelope.parts.back().text += text;
  } else {
    envelope.parts.push_back({Kind::literal, std::string(text)});
  }
}

std::vector<Envelope::Part> parts_of(std::string_view document, std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.bytes.data() < b.bytes.data(); });
  Envelope envelope;
  const char* position = document.data();
  for (const Piece& piece : pieces) {
    append_literal(envelope, {position, static_cast<std::size_t>(piece.bytes.data() - position)});
    envelope.parts.push_back({piece.kind, std::string(piece.name)});
    position = piece.bytes.data() + piece.bytes.size();
  }
  append_literal(envelope,
                 {position, static_cast<std::size_t>(document.data() + document.size() - position)});
  return std::move(envelope.parts);
}

std::size_t memory_of(const Envelope& envelope) {
  std::size_t bytes = envelope.parts.capacity() * sizeof(Envelope::Part);
  for (const Envelope::Part& part : envelope.parts) bytes += part.text.capacity();
  if (envelope.separator) bytes += envelope.separator->capacity();
  if (envelope.included_separator) bytes += envelope.included_separator->capacity();
  return bytes;
}

}  // namespace

EnvelopeSet EnvelopeSet::merged_with(const EnvelopeSet& newer) const {
  EnvelopeSet merged = newer;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    std::optional<Envelope>& form = merged.forms[i];
    if (!form) {
      form = forms[i];
      if (form) merged.born = std::min(merged.born, born);
    } else if (forms[i] && forms[i]->parts == form->parts) {
      // Other literals may come with another style, in which the older separator would be wrong.
      if (!form->separator) form->separator = forms[i]->separator;
      if (!form->included_separator) form->included_separator = forms[i]->included_separator;
    }
  }
  return merged;
}

std::size_t EnvelopeSet::memory_bytes() const {
  std::size_t bytes = sizeof(EnvelopeSet) + content_type.capacity() + content_language.capacity() +
                      vary.capacity() * sizeof(std::string);
  for (const std::string& name : vary) bytes += name.capacity();
  for (const std::optional<Envelope>& form : forms) {
    if (form) bytes += memory_of(*form);
  }
  return bytes;
}

Result<LearnedEnvelope> learn_envelope(const json::CollectionSlice& slice, bool has_included,
                                       const std::vector<std::string_view>& supplied,
                                       const std::vector<std::string>& constant, std::string* undeclared) {
  LearnedEnvelope learned;
  learned.form = form_of(slice, has_included);
  if (slice.records.empty() && !slice.included.empty()) return Error::not_assemblable;

  std::vector<Piece> pieces;
  for (const json::MemberSlice& member : slice.members) {
    const std::string_view name = member.name;
    if (std::find(supplied.begin(), supplied.end(), name) != supplied.end()) {
      pieces.push_back({member.value, Kind::member, name});
    } else if (std::find(constant.begin(), constant.end(), name) == constant.end()) {
      if (undeclared != nullptr) *undeclared = name;
      return Error::envelope_undeclared;
    }
  }
  if (!slice.records.empty()) pieces.push_back({covered(slice.records), Kind::records, {}});
  if (!slice.included.empty()) pieces.push_back({covered(slice.included), Kind::included, {}});
  learned.envelope.parts = parts_of(slice.document, std::move(pieces));

  auto separator = separator_of(slice.records);
  if (separator.has_error()) return separator.error();
  learned.envelope.separator = std::move(*separator);
  auto included_separator = separator_of(slice.included);
  if (included_separator.has_error()) return included_separator.error();
  learned.envelope.included_separator = std::move(*included_separator);
  return learned;
}

}  // namespace tessera::cache
