#include "cache/fifo_shard.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <xxhash.h>

namespace tessera::cache {
namespace {

constexpr std::uint8_t kMostUses = 3;    // two bits, as in the paper
constexpr std::uint8_t kUsesToStay = 2;  // for a newcomer to become a resident
constexpr std::size_t kFewestGhosts = 64;

}  // namespace

std::size_t hash_of(const MemoryKey& key) {
  std::uint64_t seed = 0;
  std::copy_n(key.space.bytes.begin(), sizeof(seed), reinterpret_cast<unsigned char*>(&seed));
  return XXH3_64bits_withSeed(key.rest.data(), key.rest.size(), seed + static_cast<std::uint64_t>(key.kind));
}

// An object as long as anybody has it. Pointers that find and insert return own this, and so keep it in the
// books. The cache's own pointer is let go only after the charge was moved to `pinned`, where the last owner
// ends it.
struct FifoShard::Held {
  Held(std::shared_ptr<const void> held, std::size_t bytes, std::shared_ptr<Books> their_books)
      : object(std::move(held)), charge(bytes), books(std::move(their_books)) {}
  ~Held() { books->pinned.fetch_sub(charge); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  const std::shared_ptr<const void> object;
  const std::size_t charge;
  const std::shared_ptr<Books> books;
};

struct FifoShard::Entry {
  MemoryKey key;
  std::size_t hash;
  std::shared_ptr<Held> held;
  std::shared_ptr<const UseMark> mark;
  std::uint32_t uses_seen;  // of the mark
  std::uint32_t route;
  std::uint8_t uses = 0;
  bool is_resident = false;  // in the main queue
  Entry* older = nullptr;
  Entry* newer = nullptr;

  // A use of the mark is a use of the entry.
  void look_at_mark() {
    if (!mark) return;
    const std::uint32_t now = mark->uses();
    uses = static_cast<std::uint8_t>(
        std::min<std::uint32_t>(kMostUses, uses + std::min<std::uint32_t>(kMostUses, now - uses_seen)));
    uses_seen = now;
  }
};

std::size_t FifoShard::HashEntry::operator()(const EntryPtr& entry) const {
  return entry->hash;
}

bool FifoShard::SameEntry::operator()(const EntryPtr& a, const EntryPtr& b) const {
  return a->hash == b->hash && a->key == b->key;
}

bool FifoShard::SameEntry::operator()(const EntryPtr& a, const KeyAndHash& b) const {
  return a->hash == b.hash && a->key == b.key;
}

void FifoShard::Queue::push(Entry& entry) {
  entry.older = newest;
  entry.newer = nullptr;
  (newest == nullptr ? oldest : newest->newer) = &entry;
  newest = &entry;
  ++length;
}

void FifoShard::Queue::remove(Entry& entry) {
  (entry.older == nullptr ? oldest : entry.older->newer) = entry.newer;
  (entry.newer == nullptr ? newest : entry.newer->older) = entry.older;
  --length;
}

void FifoShard::Ghosts::add(std::size_t hash, std::size_t limit) {
  numbers[hash] = next;
  queue.emplace_back(hash, next++);
  while (queue.size() > limit) {
    const auto [oldest, number] = queue.front();
    queue.pop_front();
    const auto found = numbers.find(oldest);
    if (found != numbers.end() && found->second == number) numbers.erase(found);
  }
}

bool FifoShard::Ghosts::take(std::size_t hash) {
  return numbers.erase(hash) != 0;
}

FifoShard::FifoShard(std::shared_ptr<Books> books) : books_(std::move(books)) {}

FifoShard::~FifoShard() {
  erase_if([](const MemoryKey&, std::uint32_t) { return true; });
}

std::size_t FifoShard::overhead_of(const MemoryKey& key) {
  constexpr std::size_t kAllocations = 48;  // entry, object's holder, key
  constexpr std::size_t kControlBlock = 16;
  constexpr std::size_t kIndexSlot = 18;  // a pointer and a byte of metadata at the lowest load
  constexpr std::size_t kGhost = 56;      // one for each entry
  constexpr std::size_t kInPlace = 15;    // what a string keeps in itself
  const std::size_t text = key.rest.size() > kInPlace ? key.rest.capacity() + 1 : 0;
  return sizeof(Entry) + sizeof(Held) + kAllocations + kControlBlock + kIndexSlot + kGhost + text;
}

FifoShard::Queue& FifoShard::queue_of(const Entry& entry) {
  return entry.is_resident ? main_ : small_;
}

void FifoShard::add_to_books(const Entry& entry) {
  const auto kind = static_cast<std::size_t>(entry.key.kind);
  const std::size_t bytes = entry.held->charge;
  ++entries_by_kind_[kind];
  bytes_by_kind_[kind] += bytes;
  books_->total.fetch_add(bytes);
  if (!entry.is_resident) books_->newcomers.fetch_add(bytes);
}

void FifoShard::take_from_books(const Entry& entry) {
  const auto kind = static_cast<std::size_t>(entry.key.kind);
  const std::size_t bytes = entry.held->charge;
  --entries_by_kind_[kind];
  bytes_by_kind_[kind] -= bytes;
  books_->pinned.fetch_add(bytes);  // first, so that it is never in neither
  books_->total.fetch_sub(bytes);
  if (!entry.is_resident) books_->newcomers.fetch_sub(bytes);
}

std::shared_ptr<const void> FifoShard::find(const MemoryKey& key, std::size_t hash) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(KeyAndHash{key, hash});
  if (found == index_.end()) return nullptr;
  Entry& entry = **found;
  if (entry.uses < kMostUses) ++entry.uses;
  return {entry.held, entry.held->object.get()};
}

std::shared_ptr<const void> FifoShard::insert(MemoryKey key, std::size_t hash,
                                              std::shared_ptr<const void> object, std::size_t charge,
                                              std::uint32_t route, std::shared_ptr<const UseMark> mark) {
  const void* address = object.get();
  auto held = std::make_shared<Held>(std::move(object), charge, books_);
  std::shared_ptr<Held> dropped;
  const std::lock_guard lock(mutex_);
  if (const auto found = index_.find(KeyAndHash{key, hash}); found != index_.end()) {
    Entry& entry = **found;
    take_from_books(entry);
    dropped = std::exchange(entry.held, held);
    entry.route = route;
    entry.uses_seen = mark ? mark->uses() : 0;
    entry.mark = std::move(mark);
    add_to_books(entry);
    return {std::move(held), address};
  }
  auto entry = std::make_unique<Entry>();
  entry->key = std::move(key);
  entry->hash = hash;
  entry->held = held;
  entry->uses_seen = mark ? mark->uses() : 0;
  entry->mark = std::move(mark);
  entry->route = route;
  entry->is_resident = ghosts_.take(hash);
  queue_of(*entry).push(*entry);
  add_to_books(*entry);
  index_.insert(std::move(entry));
  return {std::move(held), address};
}

std::shared_ptr<FifoShard::Held> FifoShard::remove(Entry& entry) {
  take_from_books(entry);
  queue_of(entry).remove(entry);
  std::shared_ptr<Held> held = std::move(entry.held);
  index_.erase(index_.find(KeyAndHash{entry.key, entry.hash}));
  return held;
}

bool FifoShard::erase(const MemoryKey& key, std::size_t hash) {
  std::shared_ptr<Held> dropped;
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(KeyAndHash{key, hash});
  if (found == index_.end()) return false;
  dropped = remove(**found);
  return true;
}

std::size_t FifoShard::erase_if(const std::function<bool(const MemoryKey&, std::uint32_t route)>& predicate) {
  std::vector<std::shared_ptr<Held>> dropped;
  const std::lock_guard lock(mutex_);
  for (const Queue* queue : {&small_, &main_}) {
    for (Entry* entry = queue->oldest; entry != nullptr;) {
      Entry* const newer = entry->newer;
      if (predicate(entry->key, entry->route)) dropped.push_back(remove(*entry));
      entry = newer;
    }
  }
  return dropped.size();
}

FifoShard::Entry* FifoShard::pick_newcomer() {
  while (Entry* const entry = small_.oldest) {
    entry->look_at_mark();
    if (entry->uses < kUsesToStay) return entry;
    small_.remove(*entry);
    books_->newcomers.fetch_sub(entry->held->charge);
    entry->is_resident = true;
    main_.push(*entry);
  }
  return nullptr;
}

// One round at most: entries whose mark is touched all the while must not hold the thread here.
FifoShard::Entry* FifoShard::pick_resident() {
  for (std::size_t i = main_.length; i > 0; --i) {
    Entry* const entry = main_.oldest;
    entry->look_at_mark();
    if (entry->uses == 0) break;
    --entry->uses;
    main_.remove(*entry);
    main_.push(*entry);
  }
  return main_.oldest;
}

bool FifoShard::evict_one(bool newcomers_first) {
  std::shared_ptr<Held> dropped;
  const std::lock_guard lock(mutex_);
  Entry* victim = newcomers_first ? pick_newcomer() : pick_resident();
  if (victim == nullptr) victim = newcomers_first ? pick_resident() : pick_newcomer();
  if (victim == nullptr) victim = main_.oldest;  // the newcomers have all just become residents
  if (victim == nullptr) return false;
  if (!victim->is_resident) ghosts_.add(victim->hash, std::max(kFewestGhosts, index_.size()));
  dropped = remove(*victim);
  ++evictions_;
  return true;
}

void FifoShard::add_to(MemoryCache::Sizes& sizes) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    sizes.entries[kind] += entries_by_kind_[kind];
    sizes.bytes_by_kind[kind] += bytes_by_kind_[kind];
    sizes.bytes += bytes_by_kind_[kind];
  }
  sizes.evictions += evictions_;
}

}  // namespace tessera::cache
