// The assembler against an origin that changes: whatever mix of an older snapshot, fragments and new records
// an answer is made of, it is what the origin would send.
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cache/assembler.h"
#include "tests/json/model_origin.h"

namespace tessera::cache {
namespace {

using json::ModelOrigin;

constexpr SystemTime kBorn{std::chrono::seconds(1'700'000'000)};

ManifestShape manifest_shape() {
  return {json::Pointer::parse("/records").value(), json::Pointer::parse("/0").value(),
          json::Pointer::parse("/1").value()};
}

std::shared_ptr<const Manifest> manifest_of(const ModelOrigin& origin,
                                            const std::vector<std::size_t>& order) {
  return Manifest::parse(origin.manifest(order), manifest_shape()).value();
}

// Does with a collection what the proxy does: slices, learns, checks, keeps.
class ModelCache {
 public:
  explicit ModelCache(const ModelOrigin& origin) : origin_(origin) {}

  // `learn`: whether this is a whole collection, and no answer to `ids=`.
  void take(const std::vector<std::size_t>& order, bool learn) {
    const std::string document = origin_.render(order);
    const json::CollectionSlice slice = json::slice_collection(document, origin_.shape()).value();
    std::vector<std::string> versions;
    for (const std::size_t index : order) versions.push_back(origin_.version(index));
    const std::vector<std::string_view> views(versions.begin(), versions.end());
    const auto fragments = make_fragments(slice, {}, views, kBorn);
    ASSERT_TRUE(fragments.has_value()) << fragments.error().message() << '\n' << document;
    if (learn) {
      const auto learned = learn_envelope(slice, origin_.has_included(), origin_.member_names(), {}, nullptr);
      ASSERT_TRUE(learned.has_value()) << learned.error().message() << '\n' << document;
      ASSERT_EQ(check_reassembly(slice, learned->envelope, *fragments), std::nullopt) << document;
      EnvelopeSet set;
      set.forms[static_cast<std::size_t>(learned->form)] = learned->envelope;
      envelopes_ = std::make_shared<const EnvelopeSet>(envelopes_->merged_with(set));
    }
    for (std::size_t i = 0; i < order.size(); ++i) fragments_[order[i]] = (*fragments)[i];
    all_fragments_.insert(all_fragments_.end(), fragments->begin(), fragments->end());
  }

  // Records of the last snapshot first, then fragments; asks for what is missing or in conflict.
  SnapshotPtr answer(const std::vector<std::size_t>& order) {
    const std::shared_ptr<const Manifest> manifest = manifest_of(origin_, order);
    std::map<std::size_t, FragmentView> views;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (const std::optional<FragmentView> view = in_last(manifest->entries()[i])) {
        views[order[i]] = *view;
        ++from_snapshot_;
      } else if (fragments_[order[i]] && fragments_[order[i]]->version() == manifest->entries()[i].version) {
        views[order[i]] = fragments_[order[i]]->view();
      }
    }
    for (int round = 0; round < 5; ++round) {
      std::vector<std::size_t> missing;
      for (const std::size_t index : order) {
        if (!views.contains(index)) missing.push_back(index);
      }
      if (!missing.empty()) take(missing, false);
      for (const std::size_t index : missing) views[index] = fragments_[index]->view();
      std::vector<FragmentView> records;
      for (const std::size_t index : order) records.push_back(views[index]);
      fault_ = {};
      const SnapshotPtr snapshot = Assembler::assemble({manifest, envelopes_, records, nullptr}, fault_);
      if (snapshot) {
        last_ = snapshot;
        return snapshot;
      }
      if (fault_.error == Error::envelope_unknown) {
        take(order, true);
        continue;
      }
      if (fault_.error != Error::included_conflict) return nullptr;
      views.erase(order[fault_.first]);
      views.erase(order[fault_.second]);
    }
    return nullptr;
  }

  AssemblyFault fault() const { return fault_; }
  std::size_t from_snapshot() const { return from_snapshot_; }

 private:
  std::optional<FragmentView> in_last(const ManifestEntry& entry) const {
    if (!last_) return std::nullopt;
    const auto index = last_->manifest()->find(entry.id, entry.id_is_number);
    if (!index || last_->manifest()->entries()[*index].version != entry.version) return std::nullopt;
    return last_->record(*index);
  }

  const ModelOrigin& origin_;
  std::shared_ptr<const EnvelopeSet> envelopes_ = std::make_shared<EnvelopeSet>();
  std::map<std::size_t, FragmentPtr> fragments_;
  std::vector<FragmentPtr> all_fragments_;  // an answer's views may be into replaced ones
  SnapshotPtr last_;
  AssemblyFault fault_{};
  std::size_t from_snapshot_ = 0;
};

std::vector<std::size_t> random_order(std::mt19937_64& random, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  order.resize(count == 0 ? 0 : random() % (count + 1));
  return order;
}

TEST(AssemblerModel, GivesBackEveryDocumentThatWasSliced) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const ModelOrigin origin = ModelOrigin::any(random);
    const std::vector<std::size_t> order = random_order(random, origin.records().size());
    ModelCache cache(origin);
    cache.take(order, true);
    if (HasFatalFailure()) return;
    const SnapshotPtr snapshot = cache.answer(order);
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->body(), origin.render(order));
  }
}

TEST(AssemblerModel, GivesWhatTheOriginWouldSendWhileRecordsChange) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    ModelOrigin origin = ModelOrigin::any(random);
    ModelCache cache(origin);
    for (int step = 0; step < 12; ++step) {
      if (!origin.records().empty()) {
        for (std::size_t changes = random() % 3; changes > 0; --changes) {
          origin.change(random, random() % origin.records().size());
        }
      }
      const std::vector<std::size_t> order = random_order(random, origin.records().size());
      const SnapshotPtr snapshot = cache.answer(order);
      if (HasFatalFailure()) return;
      ASSERT_TRUE(snapshot) << make_error_code(cache.fault().error).message();
      ASSERT_EQ(snapshot->body(), origin.render(order));
    }
  }
}

TEST(AssemblerModel, TakesUnchangedRecordsFromAnOlderSnapshot) {
  std::mt19937_64 random(5);
  ModelOrigin origin(random, ModelOrigin::Layout::json_api, 20);
  ModelCache cache(origin);
  std::vector<std::size_t> order(20);
  std::iota(order.begin(), order.end(), 0);
  ASSERT_TRUE(cache.answer(order));
  const std::size_t before = cache.from_snapshot();
  origin.change(random, 3);
  const SnapshotPtr snapshot = cache.answer(order);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(cache.from_snapshot() - before, 19U);
  EXPECT_EQ(snapshot->body(), origin.render(order));
}

TEST(AssemblerModel, GivesOnlyEqualBodiesEqualEtags) {
  std::map<std::string, std::string> bodies;
  std::mt19937_64 random(11);
  ModelOrigin origin(random, ModelOrigin::Layout::json_api, 4);
  ModelCache cache(origin);
  for (int step = 0; step < 300; ++step) {
    if (random() % 3 == 0) origin.change(random, random() % 4);
    const SnapshotPtr snapshot = cache.answer(random_order(random, 4));
    ASSERT_TRUE(snapshot);
    const auto [place, is_new] = bodies.emplace(snapshot->etag(), snapshot->body());
    EXPECT_EQ(place->second, snapshot->body());
  }
  EXPECT_GT(bodies.size(), 20U);
}

}  // namespace
}  // namespace tessera::cache
