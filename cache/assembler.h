// Puts a collection's body together from an envelope, a manifest's members and fragments, byte by byte as the
// origin would have sent it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cache/snapshot.h"

namespace tessera::cache {

struct AssemblyInput {
  std::shared_ptr<const Manifest> manifest;
  std::shared_ptr<const EnvelopeSet> envelopes;
  std::span<const FragmentView> records;  // one for each entry of the manifest, in its order
  std::shared_ptr<UseMark> mark;          // of the snapshot that this one descends from; null: a new one
};

struct AssemblyFault {
  Error error;
  // included_conflict: the positions of the two records that disagree; equal when one record's linkage leads
  // to a resource that its fragment has only as a mark. Both are to be fetched again, without the other.
  std::size_t first = 0;
  std::size_t second = 0;
};

class Assembler {
 public:
  // Errors: envelope_unknown (the form that these records need, or a separator), member_missing,
  // included_conflict. The ETag is a digest over envelope, members and the records' content digests in order,
  // and over the content type, so that each representation has its own.
  static std::shared_ptr<const Snapshot> assemble(const AssemblyInput& input,
                                                  AssemblyFault& fault);  // null: see fault
};

// Whether the slices give the document again when they are put together: what learn_envelope and
// make_fragments made of it, with the members' values as the document has them. Builds no second document.
// Errors: not_assemblable, included_conflict, member_missing, envelope_unknown (the envelope is of another
// form, or lacks a separator).
std::optional<Error> check_reassembly(const json::CollectionSlice& slice, const Envelope& envelope,
                                      std::span<const FragmentPtr> fragments);

}  // namespace tessera::cache
