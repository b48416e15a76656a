#include "cache/assembler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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

TEST(Assembler, GivesBackEveryDocumentThatWasSliced) {
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

TEST(Assembler, GivesWhatTheOriginWouldSendWhileRecordsChange) {
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

TEST(Assembler, TakesUnchangedRecordsFromAnOlderSnapshot) {
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

// What the tests below need: one manifest of records "1", "2", ... and envelopes as a route without
// `included` has.
struct Plain {
  explicit Plain(std::size_t count) {
    std::string document = R"({"records":[)";
    for (std::size_t i = 1; i <= count; ++i) {
      document += (i == 1 ? "[\"" : ",[\"") + std::to_string(i) + R"(","v"])";
      fragments.push_back(std::make_shared<const Fragment>(json::Id{false, std::to_string(i)}, "v",
                                                           "{" + std::to_string(i) + "}", "",
                                                           std::vector<Fragment::Resource>(), kBorn));
      views.push_back(fragments.back()->view());
    }
    manifest = Manifest::parse(document + R"(],"members":{"m":"M"}})", manifest_shape()).value();
    set.content_type = "application/json";
    set.forms[0] = Envelope{{{Envelope::Kind::literal, "<"},
                             {Envelope::Kind::member, "m"},
                             {Envelope::Kind::records, ""},
                             {Envelope::Kind::literal, ">"}},
                            ",",
                            {}};
  }
  SnapshotPtr assemble() {
    return Assembler::assemble({manifest, std::make_shared<const EnvelopeSet>(set), views, mark}, fault);
  }

  std::vector<FragmentPtr> fragments;
  std::vector<FragmentView> views;
  std::shared_ptr<const Manifest> manifest;
  EnvelopeSet set;
  std::shared_ptr<UseMark> mark;
  AssemblyFault fault{};
};

TEST(Assembler, SplicesMembersAndSeparators) {
  Plain plain(3);
  const SnapshotPtr snapshot = plain.assemble();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->body(), "<\"M\"{1},{2},{3}>");
  EXPECT_EQ(snapshot->record(1).bytes, "{2}");
  EXPECT_EQ(snapshot->record(1).bytes.data(), snapshot->body().data() + 8);
  EXPECT_EQ(snapshot->record(1).born, kBorn);
  EXPECT_EQ(snapshot->manifest(), plain.manifest);
  EXPECT_GE(snapshot->memory_bytes(), snapshot->body().size());
}

TEST(Assembler, SaysWhatItLacks) {
  Plain plain(2);
  plain.set.forms[0]->separator = std::nullopt;
  EXPECT_FALSE(plain.assemble());
  EXPECT_EQ(plain.fault.error, Error::envelope_unknown);

  Plain empty(0);
  EXPECT_FALSE(empty.assemble());
  EXPECT_EQ(empty.fault.error, Error::envelope_unknown);
  empty.set.forms[1] = Envelope{{{Envelope::Kind::literal, "[]"}}, {}, {}};
  ASSERT_TRUE(empty.assemble());
  EXPECT_EQ(empty.assemble()->body(), "[]");

  Plain member(1);
  member.set.forms[0]->separator = std::nullopt;
  member.set.forms[0]->parts[1].text = "other";
  EXPECT_FALSE(member.assemble());
  EXPECT_EQ(member.fault.error, Error::member_missing);
}

TEST(Assembler, SharesTheMarkOfTheSnapshotItDescendsFrom) {
  Plain plain(1);
  const SnapshotPtr first = plain.assemble();
  ASSERT_TRUE(first->mark());
  plain.mark = first->mark();
  EXPECT_EQ(plain.assemble()->mark(), first->mark());
}

TEST(Assembler, DerivesTheEtagFromWhatIsSent) {
  Plain plain(2);
  const std::string etag(plain.assemble()->etag());
  EXPECT_EQ(etag.size(), 34U);
  EXPECT_EQ(etag.front(), '"');
  EXPECT_EQ(etag.back(), '"');
  EXPECT_EQ(etag.find_first_not_of("0123456789abcdef\""), std::string::npos);

  Plain same(2);
  same.set.forms[1] = Envelope{{{Envelope::Kind::literal, "[]"}}, {}, {}};
  same.set.content_language = "en";
  EXPECT_EQ(same.assemble()->etag(), etag);

  Plain type(2);
  type.set.content_type = "application/vnd.api+json";
  EXPECT_NE(type.assemble()->etag(), etag);
  Plain literal(2);
  literal.set.forms[0]->parts[0].text = "[";
  EXPECT_NE(literal.assemble()->etag(), etag);
  Plain separator(2);
  separator.set.forms[0]->separator = ", ";
  EXPECT_NE(separator.assemble()->etag(), etag);
  Plain order(2);
  std::swap(order.views[0], order.views[1]);
  EXPECT_NE(order.assemble()->etag(), etag);
  Plain member(2);
  member.manifest =
      Manifest::parse(R"({"records":[["1","v"],["2","v"]],"members":{"m":2}})", manifest_shape()).value();
  EXPECT_NE(member.assemble()->etag(), etag);
}

TEST(Assembler, GivesOneRecordTheSameEtagWhetherTheSeparatorIsKnownOrNot) {
  Plain known(1);
  Plain unknown(1);
  unknown.set.forms[0]->separator = std::nullopt;
  EXPECT_EQ(known.assemble()->etag(), unknown.assemble()->etag());
}

TEST(Assembler, GivesOnlyEqualBodiesEqualEtags) {
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

// JSON:API records by hand.
class Compound {
 public:
  explicit Compound(std::vector<std::string> ids) : ids_(std::move(ids)) {
    using Kind = Envelope::Kind;
    set_.forms[0] = Envelope{{{Kind::literal, "<"},
                              {Kind::records, ""},
                              {Kind::literal, "|"},
                              {Kind::included, ""},
                              {Kind::literal, ">"}},
                             ",",
                             ";"};
    set_.forms[2] = Envelope{{{Kind::literal, "<"}, {Kind::records, ""}, {Kind::literal, ">"}}, ",", {}};
  }
  void add(const std::string& id, std::vector<Fragment::Resource> resources) {
    fragments_.push_back(std::make_shared<const Fragment>(json::Id{false, id}, "v", "{c" + id + "}",
                                                          resource_key("c", id), resources, kBorn));
  }
  EnvelopeSet& set() { return set_; }
  SnapshotPtr assemble() {
    std::string document = R"({"records":[)";
    for (const std::string& id : ids_) document += (id == ids_.front() ? "[\"" : ",[\"") + id + R"(","v"])";
    const auto manifest = Manifest::parse(document + "]}", manifest_shape()).value();
    std::vector<FragmentView> views;
    for (const FragmentPtr& fragment : fragments_) views.push_back(fragment->view());
    return Assembler::assemble({manifest, std::make_shared<const EnvelopeSet>(set_), views, nullptr}, fault);
  }
  AssemblyFault fault{};

 private:
  std::vector<std::string> ids_;
  std::vector<FragmentPtr> fragments_;
  EnvelopeSet set_;
};

Fragment::Resource slide(const std::string& id, const std::string& text = "") {
  return {resource_key("s", id), "{s" + id + text + "}"};
}

TEST(Assembler, ShowsEachResourceOnceInFirstSeenOrder) {
  Compound compound({"1", "2"});
  compound.add("1", {slide("7"), slide("3")});
  compound.add("2", {slide("3"), slide("9")});
  const SnapshotPtr snapshot = compound.assemble();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->body(), "<{c1},{c2}|{s7};{s3};{s9}>");
  const FragmentView second = snapshot->record(1);
  ASSERT_EQ(second.resources.size(), 2U);
  EXPECT_EQ(second.resources[0].key, resource_key("s", "3"));
  EXPECT_EQ(second.resources[0].bytes, "{s3}");
  EXPECT_EQ(second.own_key, resource_key("c", "2"));
  EXPECT_EQ(second.resources[0].bytes.data(), snapshot->record(0).resources[1].bytes.data());
}

TEST(Assembler, ReportsTwoRecordsThatDisagree) {
  Compound compound({"1", "2", "3"});
  compound.add("1", {});
  compound.add("2", {slide("3")});
  compound.add("3", {slide("4"), slide("3", "changed")});
  EXPECT_FALSE(compound.assemble());
  EXPECT_EQ(compound.fault.error, Error::included_conflict);
  EXPECT_EQ(compound.fault.first, 1U);
  EXPECT_EQ(compound.fault.second, 2U);
}

TEST(Assembler, LeavesOutPrimaryRecordsButKeepsThemForLater) {
  Compound compound({"1", "2"});
  compound.add("1", {{resource_key("c", "2"), "{c2}"}, {resource_key("c", "3"), "{c3}"}});
  compound.add("2", {{resource_key("c", "1"), "{c1 otherwise}"}});
  const SnapshotPtr snapshot = compound.assemble();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->body(), "<{c1},{c2}|{c3}>");
  EXPECT_EQ(snapshot->record(0).resources[0].bytes, "{c2}");
  EXPECT_EQ(snapshot->record(0).resources[0].bytes.data(), snapshot->record(1).bytes.data());
  EXPECT_EQ(snapshot->record(1).resources[0].key, resource_key("c", "1"));
  EXPECT_EQ(snapshot->record(1).resources[0].bytes, "{c1 otherwise}");
}

TEST(Assembler, AcceptsAMarkOnlyWhereItsRecordIsPrimary) {
  Compound both({"1", "2"});
  both.add("1", {{resource_key("c", "2"), ""}});
  both.add("2", {});
  const SnapshotPtr snapshot = both.assemble();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->body(), "<{c1},{c2}>");
  ASSERT_EQ(snapshot->record(0).resources.size(), 1U);
  EXPECT_TRUE(snapshot->record(0).resources[0].is_mark());

  Compound without({"1", "2"});
  without.add("1", {{resource_key("c", "2"), "{c2}"}});
  without.add("2", {});
  EXPECT_EQ(without.assemble()->etag(), snapshot->etag());

  Compound alone({"0", "1"});
  alone.add("0", {});
  alone.add("1", {{resource_key("c", "2"), ""}});
  EXPECT_FALSE(alone.assemble());
  EXPECT_EQ(alone.fault.error, Error::included_conflict);
  EXPECT_EQ(alone.fault.first, 1U);
  EXPECT_EQ(alone.fault.second, 1U);
}

TEST(Assembler, ChoosesTheFormByWhatIsShown) {
  Compound without({"1"});
  without.add("1", {});
  EXPECT_EQ(without.assemble()->body(), "<{c1}>");
  without.set().forms[2].reset();
  EXPECT_FALSE(without.assemble());
  EXPECT_EQ(without.fault.error, Error::envelope_unknown);

  Compound with({"1"});
  with.add("1", {slide("1")});
  with.set().forms[0]->included_separator.reset();
  EXPECT_EQ(with.assemble()->body(), "<{c1}|{s1}>");
  with.set().forms[0].reset();
  EXPECT_FALSE(with.assemble());
  EXPECT_EQ(with.fault.error, Error::envelope_unknown);

  Compound two({"1"});
  two.add("1", {slide("1"), slide("2")});
  two.set().forms[0]->included_separator.reset();
  EXPECT_FALSE(two.assemble());
  EXPECT_EQ(two.fault.error, Error::envelope_unknown);
}

struct Learned {
  json::CollectionSlice slice;
  Envelope envelope;
  std::vector<FragmentPtr> fragments;
};

Learned learned_from(const std::string& document, bool has_included) {
  json::CollectionShape shape;
  shape.id = json::Pointer::parse("/id").value();
  if (has_included) shape.included = json::Pointer::parse("/included").value();
  Learned learned;
  learned.slice = json::slice_collection(document, shape).value();
  const std::vector<std::string_view> versions(learned.slice.records.size(), "v");
  learned.fragments = make_fragments(learned.slice, {}, versions, kBorn).value();
  learned.envelope = learn_envelope(learned.slice, has_included, {"meta"}, {}, nullptr)->envelope;
  return learned;
}

TEST(CheckReassembly, AcceptsWhatComesOutAsItWentIn) {
  const std::string document = R"({ "meta" : [1, 2], "data":[ {"id":1} , {"id":2} ] } )";
  const Learned learned = learned_from(document, false);
  EXPECT_EQ(check_reassembly(learned.slice, learned.envelope, learned.fragments), std::nullopt);
}

TEST(CheckReassembly, RefusesADocumentThatListsAMemberTwice) {
  const std::string document = R"({"meta":1,"data":[{"id":1}],"meta":2})";
  const Learned learned = learned_from(document, false);
  EXPECT_EQ(check_reassembly(learned.slice, learned.envelope, learned.fragments), Error::not_assemblable);
}

TEST(CheckReassembly, RefusesAnotherOrderOfIncludedResources) {
  const std::string record =
      R"({"type":"c","id":"1","relationships":{"s":{"data":[{"type":"s","id":"1"},{"type":"s","id":"2"}]}}})";
  const std::string one = R"({"type":"s","id":"1"})";
  const std::string two = R"({"type":"s","id":"2"})";
  const std::string head = R"({"data":[)" + record + R"(],"included":[)";
  const std::string in_order = head + one + "," + two + "]}";
  const Learned learned = learned_from(in_order, true);
  EXPECT_EQ(check_reassembly(learned.slice, learned.envelope, learned.fragments), std::nullopt);
  const std::string other_order = head + two + "," + one + "]}";
  const Learned other = learned_from(other_order, true);
  EXPECT_EQ(check_reassembly(other.slice, other.envelope, other.fragments), Error::not_assemblable);
}

TEST(CheckReassembly, RefusesWhatIsTooShortOrTooLong) {
  const std::string document = R"([{"id":1},{"id":2}])";
  Learned learned = learned_from(document, false);
  Learned more = learned;
  more.envelope.parts.push_back({Envelope::Kind::literal, " "});
  EXPECT_EQ(check_reassembly(more.slice, more.envelope, more.fragments), Error::not_assemblable);
  Learned fewer = learned;
  fewer.fragments.pop_back();
  EXPECT_EQ(check_reassembly(fewer.slice, fewer.envelope, fewer.fragments), Error::not_assemblable);
  Learned unknown = learned;
  unknown.envelope.separator.reset();
  EXPECT_EQ(check_reassembly(unknown.slice, unknown.envelope, unknown.fragments), Error::envelope_unknown);
  Learned member = learned;
  member.envelope.parts.insert(member.envelope.parts.begin(), {Envelope::Kind::member, "gone"});
  EXPECT_EQ(check_reassembly(member.slice, member.envelope, member.fragments), Error::member_missing);
}

}  // namespace
}  // namespace tessera::cache
