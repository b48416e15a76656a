// The part of an assembly that fetches the whole collection: the client that caused it reads it as it comes,
// and what is learned from it (envelope, fragments, snapshot) is kept only after it has been put together
// again and compared.
#include <algorithm>

#include "proxy/assembly_detail.h"

namespace tessera::proxy {

http::Task<bool> Assembly::whole(Claims* claims) {
  const auto flight = flight_;
  CollectionClient::OnStream on_stream;
  if (wants_stream_ && !flight->stream) {
    on_stream = [flight](CollectionStream stream) {
      if (flight->streams) flight->stream = std::move(stream);
      flight->started.set();
    };
  }
  count(parts_.statistics.origin_collection);
  WholeCollection whole = co_await parts_.collections.fetch(request_, worker_, on_stream);
  if (whole.failure != Reason::none) co_return fail(whole.failure);
  bool narrow = false;
  if (learn_vary(whole.representation, &narrow)) co_return true;
  if (narrow && refresh_space()) co_return true;

  Reason fault = Reason::none;
  auto rendered =
      RenderedRecords::read(std::move(whole.document), parts_.shape, *answer_->manifest, whole.born, fault);
  if (!rendered) co_return fail(fault);
  std::shared_ptr<const cache::EnvelopeSet> envelopes = learn_envelopes(whole, *rendered);
  if (!envelopes) co_return true;

  ManifestAnswerPtr checked;
  if (co_await check(whole.representation.revision, true, &checked)) co_return true;
  const bool keeps = may_keep(*checked);
  const bool same = checked->manifest->digest() == answer_->manifest->digest();
  if (keeps) {
    if (parts_.generations.route_is_current(token_)) {
      envelopes = worker_.store.put_envelopes(*space_, std::move(envelopes), parts_.route);
    }
    envelopes_ = envelopes;
    fragment_space_ = KeySpaces::fragments(*space_, envelopes_->content_type);
    if (!mark_) mark_ = std::make_shared<cache::UseMark>();
    store(storable(*rendered, *checked, claims), whole.representation.vary);
  }
  outcome_.sources = {};
  outcome_.sources.origin = rendered->fragments().size();
  for (std::size_t record = 0; record < rendered->fragments().size(); ++record) {
    if (rendered->version_differs(record, *answer_->manifest)) co_return fail(Reason::version_mismatch);
  }
  answer_ = checked;
  if (!keeps || !same) co_return true;  // the collection moved on: those who wait ask again
  const auto& entries = answer_->manifest->entries();
  bool in_order = rendered->fragments().size() == entries.size();
  for (std::size_t i = 0; in_order && i < entries.size(); ++i) in_order = rendered->position(i) == i;
  if (!in_order) co_return true;

  std::vector<cache::FragmentView> views;
  views.reserve(entries.size());
  for (const auto& fragment : rendered->fragments()) views.push_back(fragment->view());
  cache::AssemblyInput input;
  input.manifest = answer_->manifest;
  input.envelopes = envelopes_;
  input.records = views;
  input.mark = mark_;
  cache::AssemblyFault assembly_fault{};
  cache::SnapshotPtr snapshot = cache::Assembler::assemble(input, assembly_fault);
  if (!snapshot) {
    const bool member = assembly_fault.error == cache::Error::member_missing;
    co_return fail(member ? Reason::member_missing : Reason::not_assemblable);
  }
  if (snapshot->body() != rendered->slice().document) co_return fail(Reason::not_assemblable);
  outcome_.snapshot = snapshot;
  const bool any_volatile =
      std::any_of(entries.begin(), entries.end(), [this](const auto& entry) { return is_volatile(entry); });
  keep(snapshot, any_volatile);
  co_return true;
}

// Null (and outcome_ set) when the document cannot be put together again from its slices.
std::shared_ptr<const cache::EnvelopeSet> Assembly::learn_envelopes(const WholeCollection& whole,
                                                                    const RenderedRecords& rendered) {
  std::string undeclared;
  const auto supplied = answer_->manifest->member_names();
  const auto learned = cache::learn_envelope(rendered.slice(), parts_.shape.has_included, supplied,
                                             parts_.shape.constant_members, &undeclared);
  if (!learned) {
    const bool member = learned.error() == cache::make_error_code(cache::Error::envelope_undeclared);
    fail(member ? Reason::envelope_undeclared : Reason::not_assemblable, undeclared);
    return nullptr;
  }
  if (cache::check_reassembly(rendered.slice(), learned->envelope, rendered.fragments())) {
    fail(Reason::not_assemblable);
    return nullptr;
  }
  cache::EnvelopeSet set;
  set.forms[static_cast<std::size_t>(learned->form)] = learned->envelope;
  set.born = whole.born;
  set.content_type = whole.representation.content_type;
  set.content_language = whole.representation.content_language;
  set.vary = whole.representation.vary;
  std::sort(set.vary.begin(), set.vary.end());
  if (envelopes_) set = envelopes_->merged_with(set);
  return std::make_shared<const cache::EnvelopeSet>(std::move(set));
}

std::vector<cache::FragmentPtr> Assembly::storable(const RenderedRecords& rendered,
                                                   const ManifestAnswer& checked, Claims* claims) const {
  std::vector<cache::FragmentPtr> fragments;
  const auto& entries = answer_->manifest->entries();
  const bool same_pairs = checked.manifest->pairs_digest() == answer_->manifest->pairs_digest();
  for (std::size_t record = 0; record < rendered.fragments().size(); ++record) {
    const std::size_t position = rendered.position(record);
    if (position == RenderedRecords::kUnlisted) continue;
    const cache::ManifestEntry& entry = entries[position];
    if (is_volatile(entry) || rendered.version_differs(record, *answer_->manifest)) continue;
    if (!same_pairs) {
      const auto now = checked.manifest->find(entry.id, entry.id_is_number);
      if (!now || checked.manifest->entries()[*now].version != entry.version) continue;
    }
    if (claims && claims->space == space_->digest()) {
      const auto claim = claims->by_position.find(position);
      if (claim != claims->by_position.end())
        claims->flight->checked.emplace(claim->second, rendered.fragments()[record]);
    }
    fragments.push_back(rendered.fragments()[record]);
  }
  return fragments;
}

// Purge wins: what was purged since this assembly began is not kept, not even when the purge comes while it
// is being stored.
void Assembly::store(std::vector<cache::FragmentPtr> fragments, const std::vector<std::string>& vary) {
  const std::size_t all = fragments.size();
  std::erase_if(fragments, [this](const cache::FragmentPtr& fragment) {
    return !parts_.generations.is_current(token_, fragment->id().text);
  });
  count(parts_.statistics.purged_in_flight, all - fragments.size());
  if (fragments.empty()) return;
  worker_.store.put(*fragment_space_, fragments, vary, parts_.route, mark_);
  count(parts_.statistics.stored_fragments, fragments.size());
  outcome_.stored = true;
  if (parts_.generations.nothing_purged_since(token_)) return;
  for (const cache::FragmentPtr& fragment : fragments) {
    if (parts_.generations.is_current(token_, fragment->id().text)) continue;
    std::string rest(1, fragment->id().number ? 'n' : 's');
    rest += fragment->id().text;
    parts_.memory.erase({cache::Kind::fragment, fragment_space_->digest(), std::move(rest)});
  }
}

}  // namespace tessera::proxy
