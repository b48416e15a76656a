// From a manifest to a snapshot: finds the records, fetches what is missing, checks that all is of one
// instant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cache/assembler.h"
#include "proxy/route_parts.h"

namespace tessera::proxy {

// Where the records of an answer came from.
struct RecordSources {
  std::uint64_t snapshot = 0;
  std::uint64_t memory = 0;
  std::uint64_t remote = 0;
  std::uint64_t origin = 0;
};

struct AssemblyOutcome {
  Reason failure = Reason::none;
  std::string detail;  // the field or member that a failure is about
  cache::SnapshotPtr
      snapshot;  // null: failure, or (failure none) the collection changed and everybody asks again
  ManifestAnswerPtr answer;  // the manifest answer that the snapshot belongs to
  cache::Digest space;       // the key space that the snapshot belongs to, as far as it is known by then
  RecordSources sources;
  bool stored = false;  // something of it was kept
};

// One assembly, shared by all requests that wait for the same snapshot. Ends on its own, whoever leaves.
struct AssemblyFlight {
  http::Signal started;  // the stream is there, or the outcome
  http::Signal done;
  bool streams = true;                     // false: that request has gone
  std::optional<CollectionStream> stream;  // for the request that caused it; set before `started`
  AssemblyOutcome outcome;                 // set before `done`
};

// Runs once, on the worker of the request that caused it.
class Assembly {
 public:
  // `wants_stream`: the request that caused it is a GET and takes the whole collection as it comes.
  Assembly(RouteParts& parts, CollectionRequestPtr request, ManifestAnswerPtr answer, KeySpacePtr space,
           bool wants_stream, std::shared_ptr<AssemblyFlight> flight, Worker& worker);

  http::Task<void> run();

 private:
  struct Gathered;  // the records of one round, and where they came from
  struct Claims;    // on records that this round asks for

  // Each step returns true when the assembly has ended (outcome_ is set).
  http::Task<bool> round();
  http::Task<bool> whole(Claims* claims);  // claims may be null
  http::Task<bool> fill(Gathered& gathered);
  http::Task<bool> ask(Claims& claims, std::size_t volatile_count);
  http::Task<bool> finish(Gathered& gathered);
  http::Task<bool> check(const std::string& revision, bool one_revision, ManifestAnswerPtr* checked);

  http::Task<void> gather(Gathered& gathered);
  void take_from_last_snapshot(Gathered& gathered);
  void commit(const RecordFill& fill, const ManifestAnswer& checked, Claims& claims);
  bool note_problems(const RecordFill& fill, const ManifestAnswer& checked);
  http::Task<void> join(const Claims& claims);
  Claims claim(const std::vector<std::size_t>& positions, std::vector<std::size_t> ask_first);
  std::shared_ptr<const cache::EnvelopeSet> learn_envelopes(const WholeCollection& whole,
                                                            const RenderedRecords& rendered);
  std::vector<cache::FragmentPtr> storable(const RenderedRecords& rendered, const ManifestAnswer& checked,
                                           Claims* claims) const;
  void store(std::vector<cache::FragmentPtr> fragments, const std::vector<std::string>& vary);
  void keep(const cache::SnapshotPtr& snapshot, bool any_volatile);
  bool is_volatile(const cache::ManifestEntry& entry) const;
  bool refresh_space();
  bool learn_vary(const Representation& representation, bool* narrow);
  bool may_keep(const ManifestAnswer& checked) const;
  cache::SystemTime oldest() const;
  bool fail(Reason reason, std::string detail = {});

  RouteParts& parts_;
  CollectionRequestPtr request_;
  ManifestAnswerPtr answer_;  // the newest
  KeySpacePtr space_;         // of envelopes and snapshots
  KeySpacePtr fragment_space_;
  std::shared_ptr<const cache::EnvelopeSet> envelopes_;
  const bool wants_stream_;
  std::shared_ptr<AssemblyFlight> flight_;
  Worker& worker_;
  const cache::Generations::Token token_;
  AssemblyOutcome outcome_;

  std::shared_ptr<cache::UseMark> mark_;  // of what is stored, and of the snapshot
  std::unordered_map<std::string, cache::FragmentPtr>
      checked_;  // by id: fetched, and known to be of its version
  std::unordered_map<std::string, cache::FragmentPtr> volatile_;  // by id: good for the present manifest only
  std::unordered_set<std::string> distrusted_;           // ids to fetch again, whatever the tiers hold
  std::unordered_map<std::string, unsigned> left_out_;   // by id: how often
  std::unordered_map<std::string, unsigned> differing_;  // by id: how often it showed another version
  std::unordered_set<std::string> conflicting_;          // ids fetched again for their included resources
  bool halve_ = false;
};

}  // namespace tessera::proxy
