// The bytes of a collection response before, between and after the records.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/error.h"
#include "json/slicer.h"

namespace tessera::cache {

// One form of an envelope, as a list of parts.
struct Envelope {
  enum class Kind : unsigned char {
    literal,   // text is sent as it is
    records,   // the records, with the separator between
    included,  // the included resources, with the included separator between
    member,    // the value of the manifest's member named by text
  };
  struct Part {
    Kind kind;
    std::string text;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;
  std::optional<std::string> separator;           // unset: no document with two records has been seen
  std::optional<std::string> included_separator;  // the same for included resources
  bool operator==(const Envelope&) const = default;
};

// The forms a collection takes. A form is learned from a whole-collection response that has it, never from
// `ids=`.
enum class EnvelopeForm : unsigned char {
  full,              // with records (and with included resources, when the route has them)
  without_records,   // an empty array
  without_included,  // records, but nothing in `included`, or no such member
};

// All forms that are known, with the response fields that belong to the records' representation.
struct EnvelopeSet {
  std::array<std::optional<Envelope>, 3> forms;
  std::chrono::system_clock::time_point born;  // when the oldest of them was rendered
  std::string content_type;
  std::string content_language;  // "" when the response had none
  std::vector<std::string>
      vary;  // lower-case names of the responses' Vary, sorted; without Accept, Accept-Encoding

  // What is known here or there; `newer` wins. A separator that only one of them knows is kept.
  EnvelopeSet merged_with(const EnvelopeSet& newer) const;
  std::size_t memory_bytes() const;
  bool operator==(const EnvelopeSet&) const = default;
};

// Learns the form that this document has. `supplied` are the names of the manifest's members, `constant`
// those that the route declares constant; any other member is Error::envelope_undeclared (its name in
// *undeclared). Error::not_assemblable when the separators of the document are not all equal.
struct LearnedEnvelope {
  EnvelopeForm form;
  Envelope envelope;
};
Result<LearnedEnvelope> learn_envelope(const json::CollectionSlice& slice, bool has_included,
                                       const std::vector<std::string_view>& supplied,
                                       const std::vector<std::string>& constant, std::string* undeclared);

}  // namespace tessera::cache
