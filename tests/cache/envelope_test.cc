#include "cache/envelope.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

using Kind = Envelope::Kind;
using Parts = std::vector<Envelope::Part>;

json::CollectionSlice sliced(const std::string& document, const char* array, bool has_included = false) {
  json::CollectionShape shape;
  shape.array = json::Pointer::parse(array).value();
  shape.id = json::Pointer::parse("/id").value();
  if (has_included) shape.included = json::Pointer::parse("/included").value();
  return json::slice_collection(document, shape).value();
}

TEST(LearnEnvelope, CutsABareArray) {
  const std::string document = R"([{"id":1},{"id":2}])";
  const LearnedEnvelope learned = learn_envelope(sliced(document, ""), false, {}, {}, nullptr).value();
  EXPECT_EQ(learned.form, EnvelopeForm::full);
  EXPECT_EQ(learned.envelope.parts, (Parts{{Kind::literal, "["}, {Kind::records, ""}, {Kind::literal, "]"}}));
  EXPECT_EQ(learned.envelope.separator, ",");
  EXPECT_EQ(learned.envelope.included_separator, std::nullopt);
}

TEST(LearnEnvelope, KeepsWhiteSpaceAndOrder) {
  const std::string document =
      "{\n \"meta\" : {\"n\":1},\n \"data\" : [\n  {\"id\":1},\n  {\"id\":2},\n  {\"id\":3}\n ],\n \"v\" : 1 "
      "}\n";
  const LearnedEnvelope learned =
      learn_envelope(sliced(document, "/data"), false, {"meta"}, {"v"}, nullptr).value();
  EXPECT_EQ(learned.envelope.parts, (Parts{{Kind::literal, "{\n \"meta\" : "},
                                           {Kind::member, "meta"},
                                           {Kind::literal, ",\n \"data\" : [\n  "},
                                           {Kind::records, ""},
                                           {Kind::literal, "\n ],\n \"v\" : 1 }\n"}}));
  EXPECT_EQ(learned.envelope.separator, ",\n  ");
}

TEST(LearnEnvelope, LeavesTheSeparatorUnknownForOneRecord) {
  const std::string document = R"([{"id":1}])";
  EXPECT_EQ(learn_envelope(sliced(document, ""), false, {}, {}, nullptr)->envelope.separator, std::nullopt);
}

TEST(LearnEnvelope, TellsTheFormsApart) {
  const auto form = [](const std::string& document, const char* array, bool has_included) {
    return learn_envelope(sliced(document, array, has_included), has_included, {}, {}, nullptr).value();
  };
  EXPECT_EQ(form("[]", "", false).form, EnvelopeForm::without_records);
  EXPECT_EQ(form("[ ]", "", false).envelope.parts, (Parts{{Kind::literal, "[ ]"}}));
  const std::string record = R"({"type":"a","id":"1","relationships":{"x":{"data":{"type":"b","id":"2"}}}})";
  const LearnedEnvelope full =
      form(R"({"data":[)" + record + R"(],"included":[{"type":"b","id":"2"}]})", "/data", true);
  EXPECT_EQ(full.form, EnvelopeForm::full);
  EXPECT_EQ(full.envelope.parts, (Parts{{Kind::literal, R"({"data":[)"},
                                        {Kind::records, ""},
                                        {Kind::literal, R"(],"included":[)"},
                                        {Kind::included, ""},
                                        {Kind::literal, "]}"}}));
  const LearnedEnvelope empty = form(R"({"data":[)" + record + R"(],"included":[]})", "/data", true);
  EXPECT_EQ(empty.form, EnvelopeForm::without_included);
  EXPECT_EQ(empty.envelope.parts.back(), (Envelope::Part{Kind::literal, R"(],"included":[]})"}));
  EXPECT_EQ(form(R"({"data":[)" + record + "]}", "/data", true).form, EnvelopeForm::without_included);
  EXPECT_EQ(form(R"({"data":[],"included":[]})", "/data", true).form, EnvelopeForm::without_records);
}

TEST(LearnEnvelope, RefusesUndeclaredMembersByName) {
  const std::string document = R"({"data":[],"meta":1,"next":2})";
  std::string undeclared;
  const auto learned = learn_envelope(sliced(document, "/data"), false, {"meta"}, {}, &undeclared);
  ASSERT_TRUE(learned.has_error());
  EXPECT_EQ(learned.error(), Error::envelope_undeclared);
  EXPECT_EQ(undeclared, "next");
}

TEST(LearnEnvelope, PrefersTheSuppliedMemberToTheConstant) {
  const std::string document = R"({"data":[],"meta":1})";
  const auto learned = learn_envelope(sliced(document, "/data"), false, {"meta"}, {"meta"}, nullptr);
  EXPECT_EQ(learned->envelope.parts[1], (Envelope::Part{Kind::member, "meta"}));
}

TEST(LearnEnvelope, RefusesSeparatorsThatDiffer) {
  for (const char* document : {R"([{"id":1},{"id":2}, {"id":3}])", "[{\"id\":1},\n{\"id\":2},{\"id\":3}]"}) {
    EXPECT_EQ(learn_envelope(sliced(document, ""), false, {}, {}, nullptr).error(), Error::not_assemblable);
  }
  const std::string included =
      R"({"data":[{"id":"1"}],"included":[{"type":"b","id":"1"},{"type":"b","id":"2"} ,{"type":"b","id":"3"}]})";
  EXPECT_EQ(learn_envelope(sliced(included, "/data", true), true, {}, {}, nullptr).error(),
            Error::not_assemblable);
}

TEST(LearnEnvelope, RefusesResourcesWithoutRecords) {
  const std::string document = R"({"data":[],"included":[{"type":"b","id":"1"}]})";
  EXPECT_EQ(learn_envelope(sliced(document, "/data", true), true, {}, {}, nullptr).error(),
            Error::not_assemblable);
}

EnvelopeSet set_of(std::string literal, std::optional<std::string> separator) {
  EnvelopeSet set;
  set.forms[0] =
      Envelope{{{Kind::literal, std::move(literal)}, {Kind::records, ""}}, std::move(separator), {}};
  return set;
}

TEST(EnvelopeSet, KeepsWhatOnlyOneOfThemKnows) {
  EnvelopeSet older = set_of("[", ",");
  older.forms[1] = Envelope{{{Kind::literal, "[]"}}, {}, {}};
  older.content_type = "old";
  EnvelopeSet newer = set_of("[", std::nullopt);
  newer.forms[0]->included_separator = ";";
  newer.content_type = "new";
  newer.vary = {"cookie"};
  const EnvelopeSet merged = older.merged_with(newer);
  EXPECT_EQ(merged.content_type, "new");
  EXPECT_EQ(merged.vary, std::vector<std::string>{"cookie"});
  EXPECT_EQ(merged.forms[0]->separator, ",");
  EXPECT_EQ(merged.forms[0]->included_separator, ";");
  EXPECT_EQ(merged.forms[1], older.forms[1]);
  EXPECT_FALSE(merged.forms[2]);
  EXPECT_EQ(merged.merged_with(merged), merged);
}

TEST(EnvelopeSet, LetsTheNewerWin) {
  EXPECT_EQ(set_of("[", ",").merged_with(set_of("[", ", ")).forms[0]->separator, ", ");
  // Another literal is another style: the old separator would not go with it.
  const EnvelopeSet merged = set_of("[", ",").merged_with(set_of("[\n", std::nullopt));
  EXPECT_EQ(merged.forms[0]->parts[0].text, "[\n");
  EXPECT_EQ(merged.forms[0]->separator, std::nullopt);
}

TEST(EnvelopeSet, IsAsOldAsItsOldestForm) {
  using std::chrono::seconds;
  EnvelopeSet older = set_of("[", ",");
  older.born += seconds(1);
  EnvelopeSet newer = set_of("[", ",");
  newer.born += seconds(2);
  EXPECT_EQ(older.merged_with(newer).born, newer.born);
  older.forms[1] = Envelope{{{Kind::literal, "[]"}}, {}, {}};
  EXPECT_EQ(older.merged_with(newer).born, older.born);
}

TEST(EnvelopeSet, CountsItsMemory) {
  EXPECT_GE(set_of(std::string(1000, '['), ",").memory_bytes(), 1000 + sizeof(EnvelopeSet));
}

}  // namespace
}  // namespace tessera::cache
