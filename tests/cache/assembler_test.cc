#include "cache/assembler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

constexpr SystemTime kBorn{std::chrono::seconds(1'700'000'000)};

ManifestShape manifest_shape() {
  return {json::Pointer::parse("/records").value(), json::Pointer::parse("/0").value(),
          json::Pointer::parse("/1").value()};
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
