#include "cache/tiered_store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cache/stored_value.h"

namespace tessera::cache {
namespace {

MemoryKey fragment_key(const KeySpace& space, std::string_view id, bool id_is_number) {
  MemoryKey key{Kind::fragment, space.digest(), {}};
  key.rest.reserve(id.size() + 1);
  key.rest += id_is_number ? 'n' : 's';
  key.rest += id;
  return key;
}

MemoryKey envelope_key(const KeySpace& space) {
  return {Kind::envelope, space.digest(), {}};
}

// The names among `vary` that the space does not tell apart.
std::vector<std::string> uncovered(const KeySpace& space, const std::vector<std::string>& vary) {
  std::vector<std::string> names;
  for (const std::string& name : vary) {
    const auto& covered = space.parts().vary;
    const bool is_covered =
        std::any_of(covered.begin(), covered.end(), [&](const auto& field) { return field.first == name; });
    if (!is_covered) names.push_back(name);
  }
  return names;
}

bool is_usable(const Fragment& fragment, std::string_view version, SystemTime oldest) {
  return !version.empty() && fragment.version() == version && fragment.view().born >= oldest;
}

// What L2 said about one wanted record.
class RemoteAnswers {
 public:
  RemoteAnswers(const KeySpace& space, SystemTime oldest, FoundRecords& found)
      : space_(space), oldest_(oldest), found_(found) {}

  FragmentPtr accept(std::string_view key, std::string_view value, const WantedRecord& wanted) {
    Result<StoredFragment> stored =
        decode_fragment(key, value, json::Id{wanted.id_is_number, std::string(wanted.id)});
    if (stored.has_error()) {
      ++found_.corrupt;
      return nullptr;
    }
    for (std::string& name : uncovered(space_, stored->vary)) {
      if (std::find(found_.vary.begin(), found_.vary.end(), name) == found_.vary.end()) {
        found_.vary.push_back(std::move(name));
      }
      stored->fragment = nullptr;
    }
    if (!stored->fragment || !is_usable(*stored->fragment, wanted.version, oldest_)) return nullptr;
    ++found_.from_remote;
    return std::move(stored->fragment);
  }

 private:
  const KeySpace& space_;
  const SystemTime oldest_;
  FoundRecords& found_;
};

}  // namespace

TieredStore::TieredStore(MemoryCache& memory, RemoteStore* remote, const Generations* generations)
    : memory_(memory), remote_(remote), generations_(generations) {}

boost::asio::awaitable<FoundRecords> TieredStore::find(std::shared_ptr<const KeySpace> space,
                                                       std::vector<WantedRecord> wanted, std::uint32_t route,
                                                       SystemTime oldest, std::shared_ptr<const UseMark> mark,
                                                       RemoteStore::Deadline deadline) {
  FoundRecords found;
  found.fragments.resize(wanted.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].version.empty()) continue;
    FragmentPtr fragment = memory_.find<Fragment>(fragment_key(*space, wanted[i].id, wanted[i].id_is_number));
    if (fragment && is_usable(*fragment, wanted[i].version, oldest)) {
      found.fragments[i] = std::move(fragment);
      ++found.from_memory;
    } else {
      missing.push_back(i);
    }
  }
  if (remote_ == nullptr || !space->remote() || missing.empty()) co_return found;

  std::vector<std::string> keys;
  keys.reserve(missing.size());
  for (const std::size_t i : missing) {
    keys.push_back(space->redis_key(kFragmentKind, wanted[i].id, wanted[i].id_is_number));
  }
  Generations::Token token;
  if (generations_ != nullptr) token = generations_->take(route);
  std::vector<std::string> asked = keys;
  const std::vector<std::optional<std::string>> values = co_await remote_->get(std::move(asked), deadline);
  RemoteAnswers answers(*space, oldest, found);
  for (std::size_t k = 0; k < missing.size() && k < values.size(); ++k) {
    if (!values[k]) continue;
    const WantedRecord& record = wanted[missing[k]];
    FragmentPtr fragment = answers.accept(keys[k], *values[k], record);
    if (!fragment) continue;
    const std::size_t bytes = fragment->memory_bytes();
    MemoryKey memory_key = fragment_key(*space, record.id, record.id_is_number);
    found.fragments[missing[k]] = memory_.insert(memory_key, std::move(fragment), bytes, route, mark);
    // Asked afterwards: a purge raises the generation before it erases, so one of the two sees the other.
    if (generations_ != nullptr && !generations_->is_current(token, record.id)) memory_.erase(memory_key);
  }
  co_return found;
}

void TieredStore::put(const KeySpace& space, std::span<const FragmentPtr> fragments,
                      const std::vector<std::string>& vary, std::uint32_t route,
                      std::shared_ptr<const UseMark> mark) {
  for (const FragmentPtr& fragment : fragments) {
    if (fragment->version().empty()) continue;
    const json::Id& id = fragment->id();
    memory_.insert(fragment_key(space, id.text, id.number), fragment, fragment->memory_bytes(), route, mark);
  }
  if (remote_ == nullptr || !space.remote()) return;
  std::vector<RemoteItem> items;
  items.reserve(fragments.size());
  for (const FragmentPtr& fragment : fragments) {
    if (fragment->version().empty()) continue;
    RemoteItem item;
    item.key = space.redis_key(kFragmentKind, fragment->id().text, fragment->id().number);
    item.value = encode_fragment(item.key, *fragment, vary);
    items.push_back(std::move(item));
  }
  remote_->put(std::move(items));
}

boost::asio::awaitable<std::shared_ptr<const EnvelopeSet>> TieredStore::find_envelopes(
    std::shared_ptr<const KeySpace> space, std::uint32_t route, SystemTime oldest,
    RemoteStore::Deadline deadline) {
  std::shared_ptr<const EnvelopeSet> known = memory_.find<EnvelopeSet>(envelope_key(*space));
  if (known && known->born < oldest) known = nullptr;
  if (known || remote_ == nullptr || !space->remote()) co_return known;

  Generations::Token token;
  if (generations_ != nullptr) token = generations_->take(route);
  const std::string key = space->redis_key(kEnvelopeKind, {}, false);
  std::vector<std::string> keys(1, key);
  const std::vector<std::optional<std::string>> values = co_await remote_->get(std::move(keys), deadline);
  if (values.empty() || !values.front()) co_return nullptr;
  Result<EnvelopeSet> decoded = decode_envelopes(key, *values.front());
  if (decoded.has_error() || decoded->born < oldest) co_return nullptr;
  auto envelopes = std::make_shared<const EnvelopeSet>(std::move(*decoded));
  const std::size_t bytes = envelopes->memory_bytes();
  std::shared_ptr<const EnvelopeSet> kept =
      memory_.insert(envelope_key(*space), std::move(envelopes), bytes, route);
  if (generations_ != nullptr && !generations_->route_is_current(token)) memory_.erase(envelope_key(*space));
  co_return kept;
}

std::shared_ptr<const EnvelopeSet> TieredStore::put_envelopes(const KeySpace& space,
                                                              std::shared_ptr<const EnvelopeSet> envelopes,
                                                              std::uint32_t route) {
  if (remote_ != nullptr && space.remote()) {
    std::vector<RemoteItem> items(1);
    items.front().key = space.redis_key(kEnvelopeKind, {}, false);
    items.front().value = encode_envelopes(items.front().key, *envelopes);
    remote_->put(std::move(items));
  }
  const std::size_t bytes = envelopes->memory_bytes();
  return memory_.insert(envelope_key(space), std::move(envelopes), bytes, route);
}

}  // namespace tessera::cache
