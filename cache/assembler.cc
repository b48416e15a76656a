// Invariants: a snapshot's body is reserved to its exact length before the first byte, and its keys likewise,
// so that views into them stay; the snapshot lives on the heap and is never moved.
#include "cache/assembler.h"

#include <algorithm>
#include <utility>

#include "cache/inclusion.h"

namespace tessera::cache {
namespace {

using Kind = Envelope::Kind;

bool has_included_part(const Envelope& envelope) {
  return std::any_of(envelope.parts.begin(), envelope.parts.end(),
                     [](const Envelope::Part& part) { return part.kind == Kind::included; });
}

bool has_separators(const Envelope& envelope, std::size_t records, std::size_t included) {
  return (records < 2 || envelope.separator) && (included < 2 || envelope.included_separator);
}

// Null when no whole collection of the form that these records need has been seen.
const Envelope* choose(const EnvelopeSet& envelopes, std::size_t records, std::size_t included) {
  const auto form = [&](EnvelopeForm wanted) -> const Envelope* {
    const std::optional<Envelope>& known = envelopes.forms[static_cast<std::size_t>(wanted)];
    return known ? &*known : nullptr;
  };
  if (records == 0) return form(EnvelopeForm::without_records);
  const Envelope* full = form(EnvelopeForm::full);
  const bool is_full_compound = full != nullptr && has_included_part(*full);
  const Envelope* chosen = full;
  if (included == 0 && (full == nullptr || is_full_compound)) chosen = form(EnvelopeForm::without_included);
  if (included != 0 && !is_full_compound) return nullptr;
  if (chosen == nullptr || !has_separators(*chosen, records, included)) return nullptr;
  return chosen;
}

// Hands every stretch of the answer to the sink, in order; false as soon as the sink, or `member`, says so.
template <class MemberOf, class Sink>
bool render(const Envelope& envelope, std::span<const FragmentView> records, const Inclusion& inclusion,
            const MemberOf& member, Sink& sink) {
  for (const Envelope::Part& part : envelope.parts) {
    switch (part.kind) {
      case Kind::literal:
        if (!sink.text(part.text)) return false;
        break;
      case Kind::member: {
        const std::optional<std::string_view> value = member(part.text);
        if (!value || !sink.text(*value)) return false;
        break;
      }
      case Kind::records:
        for (std::size_t i = 0; i < records.size(); ++i) {
          if (i != 0 && !sink.text(*envelope.separator)) return false;
          if (!sink.record(i, records[i].bytes)) return false;
        }
        break;
      case Kind::included: {
        const std::vector<Inclusion::Shown>& shown = inclusion.shown();
        for (std::size_t i = 0; i < shown.size(); ++i) {
          if (i != 0 && !sink.text(*envelope.included_separator)) return false;
          if (!sink.resource(i, shown[i].bytes)) return false;
        }
        break;
      }
    }
  }
  return true;
}

struct Measure {
  std::size_t size = 0;
  bool text(std::string_view bytes) {
    size += bytes.size();
    return true;
  }
  bool record(std::size_t, std::string_view bytes) { return text(bytes); }
  bool resource(std::size_t, std::string_view bytes) { return text(bytes); }
};

struct Build {
  std::string& body;
  std::vector<std::size_t> records;    // offsets
  std::vector<std::size_t> resources;  // offsets
  bool text(std::string_view bytes) {
    body += bytes;
    return true;
  }
  bool record(std::size_t, std::string_view bytes) {
    records.push_back(body.size());
    return text(bytes);
  }
  bool resource(std::size_t, std::string_view bytes) {
    resources.push_back(body.size());
    return text(bytes);
  }
};

struct Compare {
  std::string_view rest;
  bool text(std::string_view bytes) {
    if (!rest.starts_with(bytes)) return false;
    rest.remove_prefix(bytes.size());
    return true;
  }
  bool record(std::size_t, std::string_view bytes) { return text(bytes); }
  bool resource(std::size_t, std::string_view bytes) { return text(bytes); }
};

// A digest of what is sent: a record whose resource is a primary record of this answer counts without it, as
// one whose fragment never had it.
Digest content_of_shown(const FragmentView& record, const Inclusion& inclusion) {
  std::vector<ResourceView> resources;
  for (const ResourceView& resource : record.resources) {
    if (inclusion.primary_index(resource.key) == Inclusion::kNone) resources.push_back(resource);
  }
  return content_of(record.bytes, resources);
}

std::string etag_of(const Envelope& envelope, const AssemblyInput& input, const Inclusion& inclusion) {
  DigestBuilder builder;
  builder.add_part(input.envelopes->content_type);
  for (const Envelope::Part& part : envelope.parts) {
    const char kind = static_cast<char>(part.kind);
    builder.add({&kind, 1});
    builder.add_part(part.kind == Kind::member ? *input.manifest->member(part.text) : part.text);
  }
  if (input.records.size() > 1) builder.add_part(*envelope.separator);
  if (inclusion.shown().size() > 1) builder.add_part(*envelope.included_separator);
  auto with_primary = inclusion.records_with_primaries().begin();
  for (std::size_t i = 0; i < input.records.size(); ++i) {
    if (with_primary != inclusion.records_with_primaries().end() && *with_primary == i) {
      ++with_primary;
      builder.add(content_of_shown(input.records[i], inclusion).view());
    } else {
      builder.add(input.records[i].content.view());
    }
  }
  return '"' + builder.finish().hex() + '"';
}

}  // namespace

// Fills a snapshot's body, keys and places.
class SnapshotBuilder {
 public:
  SnapshotBuilder(std::string& body, std::string& keys, std::vector<ResourceView>& resources)
      : build_{body, {}, {}}, keys_(keys), resources_(resources) {}

  template <class MemberOf>
  void render_body(const Envelope& envelope, std::span<const FragmentView> records,
                   const Inclusion& inclusion, const MemberOf& member) {
    Measure measure;
    render(envelope, records, inclusion, member, measure);
    build_.body.reserve(measure.size);
    build_.records.reserve(records.size());
    build_.resources.reserve(inclusion.shown().size());
    render(envelope, records, inclusion, member, build_);
  }

  void reserve_keys(std::span<const FragmentView> records, const Inclusion& inclusion) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    for (const Inclusion::Shown& shown : inclusion.shown()) bytes += shown.key.size();
    for (const FragmentView& record : records) {
      bytes += record.own_key.size();
      count += record.resources.size();
      for (const ResourceView& resource : record.resources) {
        if (inclusion.shown_index(resource.key) == Inclusion::kNone) {
          bytes += resource.key.size() + resource.bytes.size();
        }
      }
    }
    keys_.reserve(bytes);
    resources_.reserve(count);
    for (const Inclusion::Shown& shown : inclusion.shown()) shown_keys_.push_back(keep(shown.key));
  }

  std::string_view keep(std::string_view bytes) {
    const std::size_t offset = keys_.size();
    keys_ += bytes;
    return std::string_view(keys_).substr(offset);
  }

  void add_resource(const ResourceView& resource, std::span<const FragmentView> records,
                    const Inclusion& inclusion) {
    const std::string_view body = build_.body;
    if (const std::size_t shown = inclusion.shown_index(resource.key); shown != Inclusion::kNone) {
      resources_.push_back({shown_keys_[shown], body.substr(build_.resources[shown], resource.bytes.size())});
      return;
    }
    // A primary record of this answer; some other answer may show it as a resource again.
    const std::size_t primary = inclusion.primary_index(resource.key);
    const std::string_view key = keep(resource.key);
    if (resource.bytes == records[primary].bytes) {
      resources_.push_back({key, body.substr(build_.records[primary], resource.bytes.size())});
    } else {
      resources_.push_back({key, keep(resource.bytes)});
    }
  }

  std::size_t record_offset(std::size_t index) const { return build_.records[index]; }

 private:
  Build build_;
  std::string& keys_;
  std::vector<ResourceView>& resources_;
  std::vector<std::string_view> shown_keys_;
};

std::shared_ptr<const Snapshot> Assembler::assemble(const AssemblyInput& input, AssemblyFault& fault) {
  const std::span<const FragmentView> records = input.records;
  Inclusion inclusion;
  Inclusion::Conflict conflict;
  if (!inclusion.collect(records, conflict)) {
    fault = {Error::included_conflict, conflict.first, conflict.second};
    return nullptr;
  }
  const Envelope* envelope = choose(*input.envelopes, records.size(), inclusion.shown().size());
  if (envelope == nullptr) {
    fault = {Error::envelope_unknown};
    return nullptr;
  }
  const auto member = [&](std::string_view name) { return input.manifest->member(name); };
  for (const Envelope::Part& part : envelope->parts) {
    if (part.kind == Kind::member && !member(part.text)) {
      fault = {Error::member_missing};
      return nullptr;
    }
  }

  const std::shared_ptr<Snapshot> snapshot(new Snapshot);
  snapshot->manifest_ = input.manifest;
  snapshot->envelopes_ = input.envelopes;
  snapshot->mark_ = input.mark ? input.mark : std::make_shared<UseMark>();
  snapshot->etag_ = etag_of(*envelope, input, inclusion);
  SnapshotBuilder builder(snapshot->body_, snapshot->keys_, snapshot->resources_);
  builder.render_body(*envelope, records, inclusion, member);
  builder.reserve_keys(records, inclusion);
  snapshot->records_.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const FragmentView& record = records[i];
    Snapshot::Placed placed;
    placed.offset = builder.record_offset(i);
    placed.length = static_cast<std::uint32_t>(record.bytes.size());
    placed.first_resource = static_cast<std::uint32_t>(snapshot->resources_.size());
    placed.resource_count = static_cast<std::uint32_t>(record.resources.size());
    placed.own_key_offset = static_cast<std::uint32_t>(snapshot->keys_.size());
    placed.own_key_length = static_cast<std::uint32_t>(builder.keep(record.own_key).size());
    placed.content = record.content;
    placed.born = record.born;
    snapshot->oldest_ = std::min(snapshot->oldest_, record.born);
    for (const ResourceView& resource : record.resources) builder.add_resource(resource, records, inclusion);
    snapshot->records_.push_back(placed);
  }
  return snapshot;
}

std::optional<Error> check_reassembly(const json::CollectionSlice& slice, const Envelope& envelope,
                                      std::span<const FragmentPtr> fragments) {
  std::vector<FragmentView> records;
  records.reserve(fragments.size());
  for (const FragmentPtr& fragment : fragments) records.push_back(fragment->view());
  Inclusion inclusion;
  Inclusion::Conflict conflict;
  if (!inclusion.collect(records, conflict)) return Error::included_conflict;
  if (!has_separators(envelope, records.size(), inclusion.shown().size())) return Error::envelope_unknown;

  bool is_missing = false;
  const auto member = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto found =
        std::find_if(slice.members.begin(), slice.members.end(),
                     [&](const json::MemberSlice& candidate) { return candidate.name == name; });
    if (found != slice.members.end()) return found->value;
    is_missing = true;
    return std::nullopt;
  };
  Compare compare{slice.document};
  const bool is_equal = render(envelope, records, inclusion, member, compare) && compare.rest.empty();
  if (is_missing) return Error::member_missing;
  if (!is_equal) return Error::not_assemblable;
  return std::nullopt;
}

}  // namespace tessera::cache
