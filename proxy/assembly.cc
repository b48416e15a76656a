// Invariants: answer_ is always an answer to a manifest request that began after the first request of this
// assembly arrived; a fragment is in checked_ (or stored) only when its version stood in a manifest before it
// was fetched and in one after, or when both were read from one database state; so records that all have
// answer_'s versions are one instant.
#include <algorithm>

#include <spdlog/spdlog.h>

#include "cache/racy.h"
#include "proxy/assembly_detail.h"

namespace tessera::proxy {
namespace {

cache::MemoryKey snapshot_key(const cache::KeySpace& space, const cache::Manifest& manifest) {
  return {cache::Kind::snapshot, space.digest(), std::string(manifest.digest().view())};
}

}  // namespace

Assembly::Assembly(RouteParts& parts, CollectionRequestPtr request, ManifestAnswerPtr answer,
                   KeySpacePtr space, bool wants_stream, std::shared_ptr<AssemblyFlight> flight,
                   Worker& worker)
    : parts_(parts),
      request_(std::move(request)),
      answer_(std::move(answer)),
      space_(std::move(space)),
      wants_stream_(wants_stream),
      flight_(std::move(flight)),
      worker_(worker),
      token_(parts.generations.take(parts.route)) {}

http::Task<void> Assembly::run() {
  try {
    bool ended = false;
    for (unsigned i = 0; !ended && i < parts_.all.limits.rounds; ++i) ended = co_await round();
    if (!ended) fail(Reason::unstable);
  } catch (const std::exception& error) {
    // Cancelled with the process, or a bug: whoever waits is passed on to the origin.
    spdlog::error("route {}: an assembly ended: {}", parts_.settings.name, error.what());
    fail(Reason::shutting_down);
  }
  outcome_.answer = answer_;
  outcome_.space = space_->digest();
  flight_->outcome = std::move(outcome_);
  flight_->started.set();
  flight_->done.set();
}

bool Assembly::fail(Reason reason, std::string detail) {
  outcome_.failure = reason;
  outcome_.detail = std::move(detail);
  outcome_.snapshot = nullptr;
  return true;
}

cache::SystemTime Assembly::oldest() const {
  return std::max(std::chrono::system_clock::now() - parts_.settings.fragment_max_age,
                  parts_.generations.distrusted_before(parts_.route));
}

bool Assembly::is_volatile(const cache::ManifestEntry& entry) const {
  if (!entry.has_version) return true;
  if (!answer_->newest_coarse) return false;
  const auto date = answer_->date();
  return !date ? cache::coarse_timestamp(entry.version).has_value()
               : cache::is_racy(entry.version, *date, parts_.settings.settle);
}

// The manifest may have brought another schema or audience, and a records response another Vary.
bool Assembly::refresh_space() {
  std::string undeclared;
  const cache::Digest before = space_->digest();
  KeySpacePtr space = parts_.spaces.envelopes(*request_, *answer_, &undeclared);
  if (!space) return fail(Reason::vary_undeclared, undeclared);
  space_ = std::move(space);
  envelopes_ = nullptr;
  fragment_space_ = nullptr;
  if (space_->digest() != before) {
    // Rendered by other code, or for others: equal versions mean nothing across spaces.
    checked_.clear();
    volatile_.clear();
  }
  return false;
}

bool Assembly::learn_vary(const Representation& representation, bool* narrow) {
  std::string undeclared;
  if (representation.vary_on_everything) return fail(Reason::vary_undeclared, "*");
  const bool shared = answer_->manifest->audience().has_value();
  if (!parts_.spaces.learn_vary(representation.vary, shared, *space_, narrow, &undeclared)) {
    return fail(Reason::vary_undeclared, undeclared);
  }
  return false;
}

// What was fetched for answer_ may be filed under its key space only when the later manifest names the same
// one: another audience or schema means that it was rendered for others, or by other code.
bool Assembly::may_keep(const ManifestAnswer& checked) const {
  std::string undeclared;
  const KeySpacePtr space = parts_.spaces.envelopes(*request_, checked, &undeclared);
  return space && space->digest() == space_->digest();
}

http::Task<bool> Assembly::round() {
  if (!envelopes_) {
    const auto deadline = std::chrono::steady_clock::now() + parts_.all.redis.command_timeout;
    envelopes_ = co_await worker_.store.find_envelopes(space_, parts_.route, oldest(), deadline);
    if (!envelopes_) co_return co_await whole(nullptr);
    bool narrow = false;
    Representation stored;
    stored.vary = envelopes_->vary;
    if (learn_vary(stored, &narrow)) co_return true;
    if (narrow) co_return refresh_space();
  }
  fragment_space_ = KeySpaces::fragments(*space_, envelopes_->content_type);

  Gathered gathered;
  co_await gather(gathered);
  if (gathered.narrow) co_return refresh_space();
  if (gathered.missing.empty()) co_return co_await finish(gathered);
  co_return co_await fill(gathered);
}

void Assembly::take_from_last_snapshot(Gathered& gathered) {
  const auto listing = parts_.manifests.listing(*request_);
  if (!listing) return;
  const auto last = listing->last(space_->digest());
  if (!last || !parts_.generations.nothing_purged_since(last->token)) return;
  gathered.last = last->snapshot.lock();
  if (!gathered.last || gathered.last->envelopes()->content_type != envelopes_->content_type) {
    gathered.last = nullptr;
    return;
  }
  const auto& entries = answer_->manifest->entries();
  const auto& old_entries = gathered.last->manifest()->entries();
  const cache::SystemTime limit = oldest();
  std::size_t next = 0;  // where the last snapshot most likely has the record
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const cache::ManifestEntry& entry = entries[i];
    std::size_t at = next;
    if (at >= old_entries.size() || old_entries[at].id != entry.id ||
        old_entries[at].id_is_number != entry.id_is_number) {
      const auto found = gathered.last->manifest()->find(entry.id, entry.id_is_number);
      if (!found) continue;
      at = *found;
    }
    next = at + 1;
    if (!entry.has_version || !old_entries[at].has_version || old_entries[at].version != entry.version)
      continue;
    if (!distrusted_.empty() && distrusted_.contains(id_key(entry))) continue;
    const cache::FragmentView view = gathered.last->record(at);
    if (view.born < limit || is_volatile(entry)) continue;
    gathered.views[i] = view;
    ++gathered.sources.snapshot;
  }
}

// In the order of cost: what this assembly fetched, the last snapshot, L1, L2.
http::Task<void> Assembly::gather(Gathered& gathered) {
  const auto& entries = answer_->manifest->entries();
  gathered.views.resize(entries.size());
  if (parts_.memory.enabled()) take_from_last_snapshot(gathered);

  std::vector<cache::WantedRecord> wanted;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const cache::ManifestEntry& entry = entries[i];
    const bool is_volatile_entry = is_volatile(entry);
    gathered.any_volatile |= is_volatile_entry;
    if (gathered.views[i]) continue;
    if (!checked_.empty() || !volatile_.empty()) {
      const std::string key = id_key(entry);
      const auto& own = is_volatile_entry ? volatile_ : checked_;
      const auto at = own.find(key);
      if (at != own.end() && at->second->version() == entry.version) {
        gathered.views[i] = at->second->view();
        ++gathered.sources.origin;
        continue;
      }
    }
    if (is_volatile_entry || (!distrusted_.empty() && distrusted_.contains(id_key(entry)))) {
      gathered.missing.push_back(i);
      continue;
    }
    wanted.push_back({entry.id, entry.id_is_number, entry.version});
    positions.push_back(i);
  }
  if (wanted.empty()) co_return;

  const auto deadline = std::chrono::steady_clock::now() + parts_.all.redis.command_timeout;
  if (gathered.last) mark_ = gathered.last->mark();
  if (!mark_) mark_ = std::make_shared<cache::UseMark>();
  cache::FoundRecords found = co_await worker_.store.find(fragment_space_, std::move(wanted), parts_.route,
                                                          oldest(), mark_, deadline);
  gathered.sources.memory = found.from_memory;
  gathered.sources.remote = found.from_remote;
  count(parts_.statistics.corrupt_values, found.corrupt);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (found.fragments[i]) {
      gathered.views[positions[i]] = found.fragments[i]->view();
    } else {
      gathered.missing.push_back(positions[i]);
    }
  }
  gathered.held = std::move(found.fragments);
  std::sort(gathered.missing.begin(), gathered.missing.end());
  std::string undeclared;
  parts_.spaces.learn_vary(found.vary, answer_->manifest->audience().has_value(), *space_, &gathered.narrow,
                           &undeclared);
}

http::Task<bool> Assembly::finish(Gathered& gathered) {
  std::vector<cache::FragmentView> views;
  views.reserve(gathered.views.size());
  for (const auto& view : gathered.views) views.push_back(*view);
  cache::AssemblyInput input;
  input.manifest = answer_->manifest;
  input.envelopes = envelopes_;
  input.records = views;
  input.mark = gathered.last ? gathered.last->mark() : mark_;
  cache::AssemblyFault fault{};
  cache::SnapshotPtr snapshot = cache::Assembler::assemble(input, fault);
  if (!snapshot) {
    if (fault.error == cache::Error::envelope_unknown) co_return co_await whole(nullptr);
    if (fault.error == cache::Error::member_missing) co_return fail(Reason::member_missing);
    if (fault.error != cache::Error::included_conflict) co_return fail(Reason::not_assemblable);
    bool any_new = false;
    for (const std::size_t position : {fault.first, fault.second}) {
      const std::string id = id_key(answer_->manifest->entries()[position]);
      any_new |= conflicting_.insert(id).second;
      distrusted_.insert(id);
      checked_.erase(id);
      volatile_.erase(id);
    }
    if (!any_new) co_return fail(Reason::included_conflict);  // fetched again, and they still disagree
    co_return false;
  }
  // A record that nothing vouches for may have changed between two renderings: nothing can be
  // compared.
  if (!gathered.any_volatile && !parts_.health.is_verified(answer_->manifest->schema())) {
    ManifestAnswerPtr newer;
    const Verdict verdict = co_await parts_.verifier.verify(request_, answer_, snapshot, worker_, &newer);
    if (verdict == Verdict::different) {
      parts_.health.mismatched();
      co_await parts_.drop_everything(worker_);
      co_return fail(Reason::mismatch);
    }
    if (verdict == Verdict::failed) co_return fail(Reason::collection_failed);
    if (verdict == Verdict::moved) {
      answer_ = newer;
      co_return refresh_space();
    }
    parts_.health.verified(answer_->manifest->schema());
  }
  outcome_.sources = gathered.sources;
  outcome_.snapshot = snapshot;
  keep(snapshot, gathered.any_volatile);
  co_return true;
}

// What makes a snapshot unfit to be kept: a record that must be asked for every time, or a purge meanwhile.
void Assembly::keep(const cache::SnapshotPtr& snapshot, bool any_volatile) {
  if (any_volatile || !parts_.memory.enabled() || !parts_.generations.nothing_purged_since(token_)) return;
  const cache::MemoryKey key = snapshot_key(*space_, *snapshot->manifest());
  outcome_.snapshot =
      parts_.memory.insert<cache::Snapshot>(key, snapshot, snapshot->memory_bytes(), parts_.route);
  outcome_.stored = true;
  if (!parts_.generations.nothing_purged_since(token_)) {
    // The purge came between the question and the insertion.
    parts_.memory.erase(key);
    return;
  }
  const auto listing = parts_.manifests.listing(*request_);
  if (!listing) return;
  // The one that it replaces would only take room: whoever still lists it differently makes his own.
  const auto last = listing->last(space_->digest());
  if (last && last->key != key) parts_.memory.erase(last->key);
  listing->remember({space_->digest(), key, outcome_.snapshot, token_});
}

}  // namespace tessera::proxy
