// The part of an assembly that fetches single records and decides, by the manifest of before and the one of
// after, what they are good for.
#include <algorithm>

#include "proxy/assembly_detail.h"

namespace tessera::proxy {

// Asks for the manifest once more, unless Tessera-Revision proves that what was fetched is of answer_'s own
// state. True when the assembly has ended; else *checked is the answer to hold the records against.
http::Task<bool> Assembly::check(const std::string& revision, bool one_revision, ManifestAnswerPtr* checked) {
  *checked = answer_;
#ifdef TESSERA_FAULT_SKIP_MANIFEST_CHECK
  co_return false;
#endif
  if (one_revision && !revision.empty() && revision == answer_->revision) co_return false;
  const auto got =
      co_await parts_.manifests.get(request_, worker_, ManifestClient::Purpose::check, http::kNoDeadline);
  if (!got.answer || got.answer->kind != ManifestAnswer::Kind::manifest)
    co_return fail(Reason::manifest_failed);
  *checked = got.answer;
  co_return false;
}

// Claims the records at these positions; those that another assembly is fetching already are joined instead.
Assembly::Claims Assembly::claim(const std::vector<std::size_t>& positions,
                                 std::vector<std::size_t> ask_first) {
  const auto& entries = answer_->manifest->entries();
  Claims claims;
  claims.ask = std::move(ask_first);
  claims.space = space_->digest();
  std::vector<std::string> names;
  names.reserve(positions.size());
  for (const std::size_t position : positions) {
    names.push_back(RecordFlights::claim(claims.space, entries[position], token_));
  }
  const auto owners = parts_.record_flights.take(names, claims.flight);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (owners[i]) {
      claims.joined.push_back({id_key(entries[positions[i]]), names[i], owners[i]});
    } else {
      claims.by_position.emplace(positions[i], names[i]);
      claims.mine.push_back(names[i]);
      claims.ask.push_back(positions[i]);
    }
  }
  return claims;
}

http::Task<bool> Assembly::fill(Gathered& gathered) {
  const auto& entries = answer_->manifest->entries();
  std::vector<std::size_t> volatile_positions;
  std::vector<std::size_t> claimable;
  for (const std::size_t position : gathered.missing) {
    (is_volatile(entries[position]) ? volatile_positions : claimable).push_back(position);
  }
  Claims claims = claim(claimable, volatile_positions);
  // Whatever happens below, those who wait for the claimed records are told.
  bool ended = true;
  try {
    // Records that no manifest can vouch for must come from one response: two would be two instants.
    const bool most =
        claims.ask.size() > 1 && claims.ask.size() * 100 >= entries.size() * parts_.all.limits.whole_percent;
    if (most || !parts_.records.fits_one_batch(*request_, *answer_->manifest, volatile_positions)) {
      ended = co_await whole(&claims);
    } else if (!claims.ask.empty()) {
      ended = co_await ask(claims, volatile_positions.size());
    } else {
      ended = false;
    }
  } catch (...) {
    parts_.record_flights.finish(claims.mine, claims.flight);
    throw;
  }
  parts_.record_flights.finish(claims.mine, claims.flight);
  if (!ended) co_await join(claims);
  co_return ended;
}

http::Task<bool> Assembly::ask(Claims& claims, std::size_t volatile_count) {
  const unsigned batch_ids = parts_.all.limits.batch_ids;
  const std::size_t batch = halve_ ? std::max(1u, batch_ids / 2) : batch_ids;
  const auto deadline = std::chrono::steady_clock::now() + parts_.all.origin.response_timeout;
  RecordFill fill =
      co_await parts_.records.fetch(request_, answer_->manifest, claims.ask, batch, worker_, deadline);
  for (const std::size_t position : claims.ask) {
    if (!answer_->manifest->entries()[position].has_version) count(parts_.statistics.version_missing);
  }
  if (fill.failure != Reason::none) co_return fail(fill.failure);
  if (!fill.found.empty() && fill.representation.content_type != envelopes_->content_type) {
    co_return fail(Reason::records_failed);
  }
  bool narrow = false;
  if (learn_vary(fill.representation, &narrow)) co_return true;
  if (volatile_count > 1 && fill.split) co_return co_await whole(&claims);
  ManifestAnswerPtr checked;
  if (co_await check(fill.representation.revision, fill.one_revision, &checked)) co_return true;
  // A space that has just proved too narrow takes nothing in: the next round fetches into the right one.
  if (!narrow && may_keep(*checked)) commit(fill, *checked, claims);
  if (note_problems(fill, *checked)) co_return true;
  answer_ = checked;
  co_return refresh_space();
}

void Assembly::commit(const RecordFill& fill, const ManifestAnswer& checked, Claims& claims) {
  const auto& entries = answer_->manifest->entries();
  const bool same_pairs = checked.manifest->pairs_digest() == answer_->manifest->pairs_digest();
  // Members come from the later manifest: with a record of in between they are one instant only when nothing
  // changed.
  const bool same_all = checked.manifest->digest() == answer_->manifest->digest();
  std::vector<cache::FragmentPtr> to_store;
  volatile_.clear();
  for (const auto& [position, fragment] : fill.found) {
    const cache::ManifestEntry& entry = entries[position];
    if (is_volatile(entry)) {
      if (entry.has_version) count(parts_.statistics.racy);
      if (same_all) volatile_.insert_or_assign(id_key(entry), fragment);
      continue;
    }

    if (!same_pairs) {
      const auto now = checked.manifest->find(entry.id, entry.id_is_number);
      if (!now || checked.manifest->entries()[*now].version != entry.version) continue;
    }
    checked_.insert_or_assign(id_key(entry), fragment);
    distrusted_.erase(id_key(entry));
    const auto claim = claims.by_position.find(position);
    if (claim != claims.by_position.end()) claims.flight->checked.emplace(claim->second, fragment);
    to_store.push_back(fragment);
  }
  store(std::move(to_store), fill.representation.vary);
}

// A record that was left out (or shows another version) and that the newer manifest still lists is asked for
// once more, in smaller batches; then the request is passed on.
bool Assembly::note_problems(const RecordFill& fill, const ManifestAnswer& checked) {
  const auto& entries = answer_->manifest->entries();
  const auto still_listed = [&](std::size_t position) {
    const auto now = checked.manifest->find(entries[position].id, entries[position].id_is_number);
    return now && checked.manifest->entries()[*now].version == entries[position].version;
  };
  for (const std::size_t position : fill.left_out) {
    if (!still_listed(position)) continue;
    halve_ = true;
    if (++left_out_[id_key(entries[position])] > 1) return fail(Reason::record_missing);
  }
  for (const std::size_t position : fill.version_differs) {
    if (!still_listed(position)) continue;
    if (++differing_[id_key(entries[position])] > 1) return fail(Reason::version_mismatch);
  }
  return false;
}

http::Task<void> Assembly::join(const Claims& claims) {
  const auto deadline = std::chrono::steady_clock::now() + parts_.all.origin.response_timeout;
  for (const Claims::Joined& joined : claims.joined) {
    http::Signal done = joined.flight->done;
    if (!co_await done.wait(deadline)) co_return;
    if (claims.space != space_->digest()) continue;
    const auto at = joined.flight->checked.find(joined.claim);
    if (at == joined.flight->checked.end()) continue;
    count(parts_.statistics.coalesced_records);
    checked_.insert_or_assign(joined.id, at->second);
  }
}

}  // namespace tessera::proxy
