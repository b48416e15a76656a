#include "json/slicer.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>

#include "tests/json/model_origin.h"

namespace tessera::json {
namespace {

using std::string_literals::operator""s;

CollectionShape shape_of(const char* array, const char* id = "/id") {
  CollectionShape shape;
  if (array != nullptr) shape.array = Pointer::parse(array).value();
  shape.id = Pointer::parse(id).value();
  return shape;
}

CollectionShape json_api_shape() {
  CollectionShape shape = shape_of("/data");
  shape.included = Pointer::parse("/included").value();
  return shape;
}

std::vector<std::string> bytes_of(const CollectionSlice& slice) {
  std::vector<std::string> bytes;
  for (const RecordSlice& record : slice.records) bytes.emplace_back(record.bytes);
  return bytes;
}

boost::system::error_code error_of(std::string_view document, const CollectionShape& shape) {
  const Result<CollectionSlice> slice = slice_collection(document, shape);
  return slice.has_error() ? slice.error() : boost::system::error_code();
}

TEST(Slicer, CutsRecordsVerbatim) {
  const std::string document =
      R"({"courses":[{"id":9007199254740993,"n":18446744073709551617,"p":1.10,"z":-0.0,"big":1E400}, )"
      R"({ "id" : "a\/b" , "t":"\u00e9 \ud83d\ude00 <&>" }]})";
  const Result<CollectionSlice> slice = slice_collection(document, shape_of("/courses"));
  ASSERT_TRUE(slice.has_value()) << slice.error().message();
  EXPECT_EQ(bytes_of(*slice),
            (std::vector<std::string>{
                R"({"id":9007199254740993,"n":18446744073709551617,"p":1.10,"z":-0.0,"big":1E400})",
                R"({ "id" : "a\/b" , "t":"\u00e9 \ud83d\ude00 <&>" })"}));
  EXPECT_EQ(slice->records[0].id, (Id{true, "9007199254740993"}));
  EXPECT_EQ(slice->records[1].id, (Id{false, "a/b"}));
  EXPECT_EQ(slice->array.front(), '[');
  EXPECT_EQ(slice->array.back(), ']');
  EXPECT_EQ(slice->array.data() + slice->array.size() + 1, document.data() + document.size());
  EXPECT_TRUE(slice->members.empty());
}

TEST(Slicer, KeepsNumberAndStringIdsApart) {
  const Result<CollectionSlice> slice =
      slice_collection(R"([{"id":1},{"id":"1"},{"id":1.0},{"id":1e0},{"id":"01"}])", shape_of(""));
  ASSERT_TRUE(slice.has_value());
  const std::vector<Id> expected = {{true, "1"}, {false, "1"}, {true, "1.0"}, {true, "1e0"}, {false, "01"}};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(slice->records[i].id, expected[i]) << i;
}

TEST(Slicer, DecodesIdsAndNames) {
  const std::string document = "[{\"\\u0069d\":\"\\ud83d\\udc4d\\n\\u00e9\\u20ac\\u0000\\\"\"}]";
  const Result<CollectionSlice> slice = slice_collection(document, shape_of(""));
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(slice->records[0].id.text, "\xF0\x9F\x91\x8D\n\xC3\xA9\xE2\x82\xAC\0\""s);
}

TEST(Slicer, FindsTheArrayByItself) {
  const auto found = [](std::string_view document) {
    const Result<CollectionSlice> slice = slice_collection(document, shape_of(nullptr));
    return slice.has_error() ? slice.error().message() : '"' + slice->array_pointer.text() + '"';
  };
  EXPECT_EQ(found(R"([{"id":1}])"), "\"\"");
  EXPECT_EQ(found("[]"), "\"\"");
  EXPECT_EQ(found(R"({"meta":{"a":[1]},"a~b/c":[{"id":1}]})"), "\"/a~0b~1c\"");
  EXPECT_EQ(found(R"({"tags":["x"],"links":[],"data":[{"id":1}]})"), "\"/data\"");
  EXPECT_EQ(found(R"({"data":{"id":1},"items":[{"id":1}]})"), "\"/items\"");
  EXPECT_EQ(found(R"({"courses":[{"id":1}],"included":[{"x":1}]})"), "\"/courses\"");
  EXPECT_EQ(found(R"({"a":[],"b":[]})"), make_error_code(Error::array_ambiguous).message());
  EXPECT_EQ(found(R"({"a":[],"a":[]})"), make_error_code(Error::array_ambiguous).message());
  EXPECT_EQ(found(R"({"data":[],"data":[]})"), make_error_code(Error::array_ambiguous).message());
  EXPECT_EQ(found(R"({"data":1,"data":[]})"), make_error_code(Error::array_ambiguous).message());
  EXPECT_EQ(found(R"({"a":{"b":[]}})"), make_error_code(Error::array_not_found).message());
  EXPECT_EQ(found("{}"), make_error_code(Error::array_not_found).message());
  EXPECT_EQ(found("1"), make_error_code(Error::array_not_found).message());
}

TEST(Slicer, TakesArraysBesideTheRecordsForMembers) {
  const std::string document = R"({"tags":["x",{"id":2}],"data":[{"id":1}],"n":1})";
  const Result<CollectionSlice> slice = slice_collection(document, shape_of(nullptr));
  ASSERT_TRUE(slice.has_value());
  ASSERT_EQ(slice->members.size(), 2U);
  EXPECT_EQ(slice->members[0].name, "tags");
  EXPECT_EQ(slice->members[0].value, R"(["x",{"id":2}])");
  EXPECT_EQ(slice->members[1].name, "n");
}

TEST(Slicer, NamesMembersOnTheWayToTheArray) {
  const std::string document =
      R"({"meta":{"total":[7]},"data":{"count" : 2,"rows":[{"skip":1},{"items":[{"id":1}],"x/y":"z"}]},"links":null})";
  const Result<CollectionSlice> slice = slice_collection(document, shape_of("/data/rows/1/items"));
  ASSERT_TRUE(slice.has_value()) << slice.error().message();
  std::vector<std::pair<std::string, std::string>> members;
  for (const MemberSlice& member : slice->members) members.emplace_back(member.name, member.value);
  EXPECT_EQ(members, (std::vector<std::pair<std::string, std::string>>{{"meta", R"({"total":[7]})"},
                                                                       {"/data/count", "2"},
                                                                       {"/data/rows/0", R"({"skip":1})"},
                                                                       {"/data/rows/1/x~1y", R"("z")"},
                                                                       {"links", "null"}}));
  EXPECT_EQ(bytes_of(*slice), std::vector<std::string>{R"({"id":1})"});
}

TEST(Slicer, RefusesAnArrayThatIsNotWhereItShouldBe) {
  for (const char* document : {R"({"x":[]})", R"({"courses":{}})", R"({"courses":null})", "[]", "{}", "7",
                               R"({"x":{"courses":[]}})"}) {
    EXPECT_EQ(error_of(document, shape_of("/courses")), Error::array_not_found) << document;
  }
  EXPECT_EQ(error_of("{}", shape_of("")), Error::array_not_found);
  EXPECT_EQ(error_of(R"({"courses":[],"courses":[]})", shape_of("/courses")), Error::array_ambiguous);
  EXPECT_EQ(error_of(R"({"courses":null,"courses":[]})", shape_of("/courses")), Error::array_ambiguous);
  EXPECT_EQ(error_of(R"({"courses":[],"courses":{}})", shape_of("/courses")), Error::array_ambiguous);
  EXPECT_EQ(error_of(R"({"a":{"b":[]},"a":{"b":[]}})", shape_of("/a/b")), Error::array_ambiguous);
  EXPECT_EQ(error_of(R"({"a":1,"a":{"b":[]}})", shape_of("/a/b")), Error::array_ambiguous);
  EXPECT_EQ(error_of(R"({"a":{},"a":{"b":[]}})", shape_of("/a/b")), Error::array_ambiguous);
}

TEST(Slicer, RefusesRecordsWithoutOneId) {
  for (const char* record : {"{}", "1", "null", "[]", R"("x")", R"([{"id":1}])", R"({"id":null})",
                             R"({"id":true})", R"({"id":{}})", R"({"id":[1]})", R"({"x":{"id":1}})",
                             R"({"id":1,"id":1})", R"({"id":1,"\u0069d":2})", R"({"id":{"id":1}})"}) {
    const std::string document = R"([{"id":0},)" + std::string(record) + "]";
    EXPECT_EQ(error_of(document, shape_of("")), Error::record_without_id) << document;
    EXPECT_EQ(error_of(document, shape_of(nullptr)), Error::record_without_id) << document;
  }
  EXPECT_EQ(error_of(R"([{"id":1}])", shape_of("", "/attributes/id")), Error::record_without_id);
  EXPECT_EQ(error_of(R"([{"id":1}])", shape_of("", "")), Error::record_without_id);
  EXPECT_EQ(error_of(R"([{"a":{},"a":{"id":1}}])", shape_of("", "/a/id")), Error::record_without_id);
}

TEST(Slicer, ReadsIdsAndVersionsFromInsideARecord) {
  CollectionShape shape = shape_of("", "/keys/1/id");
  shape.version = Pointer::parse("/attributes/updated_at").value();
  const auto version = [&](const char* attributes) {
    const std::string document =
        R"([{"keys":[{"id":8},{"id":9,"x":{"id":7}}],"attributes":)" + std::string(attributes) + "}]";
    const Result<CollectionSlice> slice = slice_collection(document, shape);
    EXPECT_TRUE(slice.has_value()) << attributes;
    EXPECT_EQ(slice->records[0].id, (Id{true, "9"}));
    return slice->records[0].version;
  };
  EXPECT_EQ(version(R"({"updated_at":"2024\u002d03"})"), "2024-03");
  EXPECT_EQ(version(R"({"updated_at":1.50})"), "1.50");
  EXPECT_EQ(version(R"({"updated_at":false})"), "false");
  EXPECT_EQ(version(R"({"updated_at":""})"), "");
  EXPECT_EQ(version(R"({"updated_at":null})"), std::nullopt);
  EXPECT_EQ(version(R"({"updated_at":{"x":1}})"), std::nullopt);
  EXPECT_EQ(version("{}"), std::nullopt);
  EXPECT_EQ(version("null"), std::nullopt);
  EXPECT_EQ(error_of(R"([{"keys":[0,{"id":1}],"attributes":{"updated_at":1,"updated_at":2}}])", shape),
            Error::record_without_id);
}

TEST(Slicer, KeepsNamesThatComeTwiceWhereTheyDecideNothing) {
  const std::string document = R"([{"id":1,"a":1,"a":2,"x":{"id":3,"id":4}}])";
  const Result<CollectionSlice> slice = slice_collection(document, shape_of(""));
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ("[" + bytes_of(*slice)[0] + "]", document);
}

TEST(Slicer, ReadsLinkageOfRecordsAndResources) {
  const std::string document =
      R"({"data":[{"type":"course","id":"1","relationships":{)"
      R"("slides":{"links":{"data":{"type":"no","id":"no"}},"data":[{"type":"slide","id":"5"},{"id":"6","type":"slide"}]},)"
      R"("author":{"data":{"meta":{"type":"no","id":"no"},"type":"person","id":9}},"empty":{"data":null},"none":{},)"
      R"("odd":[{"data":{"type":"no","id":"no"}}],"local":{"data":{"type":"x","lid":"y"}}},)"
      R"("attributes":{"relationships":{"a":{"data":{"type":"no","id":"no"}}}}},{"type":"course","id":"2"}],)"
      R"("included":[{"type":"slide","id":"5","relationships":{"next":{"data":{"type":"slide","id":"6"}}}},)"
      R"({"type":"slide","id":6}]})";
  const Result<CollectionSlice> slice = slice_collection(document, json_api_shape());
  ASSERT_TRUE(slice.has_value()) << slice.error().message();
  EXPECT_EQ(slice->records[0].type, "course");
  EXPECT_EQ(slice->records[0].links, (std::vector<Link>{{"slide", "5"}, {"slide", "6"}, {"person", "9"}}));
  EXPECT_TRUE(slice->records[1].links.empty());
  ASSERT_EQ(slice->included.size(), 2U);
  EXPECT_EQ(slice->included[0].links, (std::vector<Link>{{"slide", "6"}}));
  EXPECT_EQ(slice->included[1].bytes, R"({"type":"slide","id":6})");
  EXPECT_EQ(slice->included[1].id, "6");
  ASSERT_TRUE(slice->included_array);
  EXPECT_EQ(slice->included_array->front(), '[');
  EXPECT_TRUE(slice->members.empty());
}

TEST(Slicer, LooksForTypesAndLinksOnlyWhereResourcesAreIncluded) {
  const std::string document =
      R"({"data":[{"type":"a","id":"1","relationships":{"x":{"data":{"type":"b","id":"2"}}}}],"included":[]})";
  const Result<CollectionSlice> slice = slice_collection(document, shape_of("/data"));
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(slice->records[0].type, "");
  EXPECT_TRUE(slice->records[0].links.empty());
  EXPECT_FALSE(slice->included_array);
  ASSERT_EQ(slice->members.size(), 1U);
  EXPECT_EQ(slice->members[0].name, "included");
}

TEST(Slicer, RefusesResourcesWithoutIdentity) {
  for (const char* resource : {"1", "[]", "{}", R"({"type":"a"})", R"({"id":"1"})", R"({"type":"","id":"1"})",
                               R"({"type":1,"id":"1"})", R"({"type":"a","id":null})",
                               R"({"type":"a","id":"1","id":"1"})", R"({"type":"a","type":"a","id":"1"})"}) {
    const std::string document = R"({"data":[],"included":[)" + std::string(resource) + "]}";
    EXPECT_EQ(error_of(document, json_api_shape()), Error::resource_without_identity) << document;
  }
  EXPECT_EQ(error_of(R"({"data":[],"included":[],"included":[]})", json_api_shape()), Error::array_ambiguous);
}

TEST(Slicer, TakesAMissingOrNullIncludedForNone) {
  const Result<CollectionSlice> missing = slice_collection(R"({"data":[]})", json_api_shape());
  ASSERT_TRUE(missing.has_value());
  EXPECT_FALSE(missing->included_array);
  const Result<CollectionSlice> null = slice_collection(R"({"data":[],"included":null})", json_api_shape());
  ASSERT_TRUE(null.has_value());
  EXPECT_FALSE(null->included_array);
  EXPECT_EQ(null->members.size(), 1U);
}

TEST(Slicer, RefusesWhatIsNoJson) {
  const std::vector<std::string> values = {"",
                                           " ",
                                           "01",
                                           "-",
                                           "+1",
                                           ".5",
                                           "1.",
                                           "1.e1",
                                           "1.5.3",
                                           "1e",
                                           "1e+",
                                           "1E+-2",
                                           "-01",
                                           "0x10",
                                           "1_000",
                                           "NaN",
                                           "Infinity",
                                           "-Infinity",
                                           "tru",
                                           "True",
                                           "nul",
                                           "nulll",
                                           "'a'",
                                           "\"a",
                                           "\"\\x\"",
                                           "\"\\u12g4\"",
                                           "\"\\u12\"",
                                           "\"\\ud800\"",
                                           "\"\\udc4d\"",
                                           "\"\\ud83dx\"",
                                           "\"\\ud83d\\u0041\"",
                                           "\"\n\"",
                                           "\"\t\"",
                                           "\"a\0b\""s,
                                           "\0"s,
                                           "\"\xC1\x81\"",
                                           "\"\xE2\x82\"",
                                           "\"\xED\xA0\x80\"",
                                           "\"\xF4\x90\x80\x80\"",
                                           "\"\xFF\"",
                                           "\xEF\xBB\xBF"
                                           "1",
                                           "1 2",
                                           "1,",
                                           "[1,]",
                                           "{\"a\":1,}",
                                           "{\"a\"}",
                                           "{a:1}",
                                           "{1:2}",
                                           "[1 2]",
                                           "{\"a\" 1}",
                                           "/**/1",
                                           "[",
                                           "]",
                                           "{\"a\":[}",
                                           "[\"\\udc4d\"]",
                                           "\"\\ud83d\\ud83d\"",
                                           "1-2",
                                           "1e5e5",
                                           "--1",
                                           "1.-2"};
  for (const std::string& value : values) {
    const std::string document = R"([{"id":1,"v":)" + value + "}]";
    EXPECT_EQ(error_of(document, shape_of("")), Error::malformed) << document;
  }
  for (const std::string& tail : {"x"s, "\0"s, "[]"s, ","s, "1"s, "-"s, "]"s}) {
    EXPECT_EQ(error_of("[]" + tail, shape_of("")), Error::malformed) << tail;
  }
  for (const std::string& document : {""s, "  "s, "\0"s, "[\0]"s, "-"s}) {
    EXPECT_TRUE(error_of(document, shape_of("")).failed()) << document;
  }
}

TEST(Slicer, AcceptsEveryFormOfAValue) {
  for (const char* value : {"0",
                            "-0",
                            "0.0",
                            "-0.0e-0",
                            "1E400",
                            "-1e-400",
                            "123456789012345678901234567890",
                            "1.7976931348623157e309",
                            "1e+5",
                            "true",
                            "false",
                            "null",
                            "\"\"",
                            "\"\\\\\\\"\\/\\b\\f\\n\\r\\t\"",
                            "\"\\uD83D\\uDE00\"",
                            "\"\x7F\"",
                            "\"\xF0\x9F\x98\x80\xE2\x80\xA8\xC3\xA9\"",
                            " [ ] ",
                            "\r\n{ }\t",
                            "\"0123456789abcdef0123456789-1\""}) {
    const std::string document = R"([{"id":1,"v":)" + std::string(value) + "}]";
    const Result<CollectionSlice> slice = slice_collection(document, shape_of(""));
    ASSERT_TRUE(slice.has_value()) << document;
    EXPECT_EQ("[" + bytes_of(*slice)[0] + "]", document);
  }
}

TEST(Slicer, CapsTheDepth) {
  const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
    std::string document = R"([{"id":1,"v":)";
    for (std::size_t i = 2; i < depth; ++i) document += open;
    document += "0";
    for (std::size_t i = 2; i < depth; ++i) document += close;
    return document + "}]";
  };
  for (const auto& [open, close] : {std::pair("["s, "]"s), std::pair("{\"a\":"s, "}"s)}) {
    EXPECT_FALSE(error_of(nested(kMaxDepth, open, close), shape_of("")).failed());
    EXPECT_EQ(error_of(nested(kMaxDepth + 1, open, close), shape_of("")), Error::too_deep);
    EXPECT_EQ(error_of(nested(500'000, open, close), shape_of("")), Error::too_deep);
  }
  EXPECT_EQ(error_of(std::string(500'000, '['), shape_of("")), Error::record_without_id);
  EXPECT_EQ(error_of(std::string(500'000, '['), shape_of("/a")), Error::too_deep);
}

TEST(Slicer, RefusesEveryCutOfADocument) {
  std::mt19937_64 random(7);
  const ModelOrigin origin(random, ModelOrigin::Layout::json_api, 3);
  const std::string document = origin.render_all();
  ASSERT_TRUE(slice_collection(document, origin.shape()).has_value());
  for (std::size_t size = 0; size < document.size(); ++size) {
    // A copy of its own, so that a sanitizer sees a read behind the end.
    const std::vector<char> cut(document.begin(), document.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(error_of({cut.data(), cut.size()}, origin.shape()).failed()) << size;
  }
}

// RapidJSON's own document: the other opinion.
bool parses(std::string_view document, rapidjson::Document& dom) {
  rapidjson::MemoryStream stream(document.data(), document.size());
  dom.ParseStream<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                  rapidjson::kParseNumbersAsStringsFlag>(stream);
  return !dom.HasParseError();
}

TEST(Slicer, AgreesWithADocumentModel) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const ModelOrigin origin = ModelOrigin::any(random);
    const std::string document = origin.render_all();
    const Result<CollectionSlice> slice = slice_collection(document, origin.shape());
    ASSERT_TRUE(slice.has_value()) << slice.error().message() << '\n' << document;
    ASSERT_EQ(slice->records.size(), origin.records().size());
    for (std::size_t i = 0; i < slice->records.size(); ++i) {
      EXPECT_EQ(slice->records[i].bytes, origin.record_text(i));
      EXPECT_EQ(slice->records[i].id, origin.records()[i].id);
      rapidjson::Document record;
      EXPECT_TRUE(parses(slice->records[i].bytes, record));
    }
    EXPECT_EQ(slice->array_pointer, origin.array_pointer());
  }
}

TEST(Slicer, AcceptsAChangedByteOnlyWhereADocumentModelDoes) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 random(seed);
    const ModelOrigin origin = ModelOrigin::any(random);
    std::string document = origin.render_all();
    document[random() % document.size()] = static_cast<char>(random());
    const Result<CollectionSlice> slice = slice_collection(document, origin.shape());
    rapidjson::Document dom;
    if (slice.has_value()) {
      EXPECT_TRUE(parses(document, dom)) << seed << '\n' << document;
    } else if (slice.error() == Error::malformed && document.find("\\u") == std::string::npos) {
      EXPECT_FALSE(parses(document, dom)) << seed << '\n' << document;
    }
  }
}

}  // namespace
}  // namespace tessera::json
