#include "cache/manifest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

using std::string_literals::operator""s;

ManifestShape shape_of(const char* array, const char* id, const char* version) {
  return {json::Pointer::parse(array).value(), json::Pointer::parse(id).value(),
          json::Pointer::parse(version).value()};
}

ManifestShape own_shape() {
  return shape_of("/records", "/0", "/1");
}

std::shared_ptr<const Manifest> parsed(const std::string& document,
                                       const ManifestShape& shape = own_shape()) {
  const auto manifest = Manifest::parse(document, shape);
  EXPECT_TRUE(manifest.has_value()) << manifest.error().message() << '\n' << document;
  return manifest.has_value() ? *manifest : nullptr;
}

// "s1=v1 n2=-": kind and id, then the version or '-'.
std::string text_of(const Manifest& manifest) {
  std::string text;
  for (const ManifestEntry& entry : manifest.entries()) {
    text += text.empty() ? "" : " ";
    text += (entry.id_is_number ? "n" : "s") + std::string(entry.id) + "=";
    text += entry.has_version ? std::string(entry.version) : "-";
  }
  return text;
}

boost::system::error_code error_of(const std::string& document, const ManifestShape& shape = own_shape()) {
  const auto manifest = Manifest::parse(document, shape);
  return manifest.has_error() ? manifest.error() : boost::system::error_code();
}

TEST(Manifest, ReadsItsOwnMediaType) {
  const std::string document = R"({"schema":"7f3a","records":[["1","2024-03-05T07:08:09.123456Z"],[2,17]],)"
                               R"("members":{"meta":{ "n" : 2 },"links":null},"audience":"team 7"})";
  const auto manifest = parsed(document);
  EXPECT_EQ(text_of(*manifest), "s1=2024-03-05T07:08:09.123456Z n2=17");
  EXPECT_EQ(manifest->document(), document);
  EXPECT_EQ(manifest->schema(), "7f3a");
  EXPECT_EQ(manifest->audience(), "team 7");
  EXPECT_EQ(manifest->member("meta"), R"({ "n" : 2 })");
  EXPECT_EQ(manifest->member("links"), "null");
  EXPECT_EQ(manifest->member("x"), std::nullopt);
  EXPECT_EQ(manifest->member_names(), (std::vector<std::string_view>{"meta", "links"}));
  EXPECT_FALSE(manifest->has_missing_version());
  EXPECT_FALSE(manifest->all_ids_are_numbers());
  EXPECT_FALSE(manifest->all_ids_are_strings());
  EXPECT_GE(manifest->memory_bytes(), document.size());
}

TEST(Manifest, LeavesOutWhatTheOriginLeavesOut) {
  const auto manifest = parsed(R"({"records":[],"schema":null,"audience":null,"members":null})");
  EXPECT_EQ(manifest->schema(), "");
  EXPECT_EQ(manifest->audience(), std::nullopt);
  EXPECT_TRUE(manifest->member_names().empty());
  EXPECT_FALSE(manifest->all_ids_are_numbers());
  EXPECT_FALSE(manifest->all_ids_are_strings());
  EXPECT_EQ(parsed(R"({"records":[],"audience":""})")->audience(), "");
  EXPECT_EQ(parsed(R"({"records":[],"schema":20240305})")->schema(), "20240305");
}

TEST(Manifest, ReadsForeignDocuments) {
  EXPECT_EQ(text_of(*parsed(R"([{"id":1,"updated_at":"a"},{"updated_at":"b","x":[{"id":9}],"id":2}])",
                            shape_of("", "/id", "/updated_at"))),
            "n1=a n2=b");
  EXPECT_EQ(
      text_of(*parsed(
          R"({"x":[{}],"data":{"list":[0,{"rows":[{"id":"1","attributes":{"id":"no","updated_at":1.50}}]}]}})",
          shape_of("/data/list/1/rows", "/id", "/attributes/updated_at"))),
      "s1=1.50");
  EXPECT_EQ(text_of(*parsed(R"(["a","b",3])", shape_of("", "", "/1"))), "sa=- sb=- n3=-");
  EXPECT_EQ(text_of(*parsed(R"([["a"],["b","v"]])", shape_of("", "/0", "/1"))), "sa=- sb=v");
  EXPECT_EQ(text_of(*parsed(R"([["a",["x","y"]]])", shape_of("", "/0", "/1/1"))), "sa=y");
}

TEST(Manifest, KeepsIdsAndVersionsAsTheyAre) {
  EXPECT_EQ(text_of(*parsed(
                R"({"records":[[9007199254740993,1.0],[9007199254740992,1.00],["01",1E400],["1",-0]]})")),
            "n9007199254740993=1.0 n9007199254740992=1.00 s01=1E400 s1=-0");
  EXPECT_EQ(text_of(*parsed(R"({"records":[["\u00e9\ud83d\ude00\"","\u0041\n"],["plain","\\"]]})")),
            "s\xC3\xA9\xF0\x9F\x98\x80\"=A\n splain=\\");
}

TEST(Manifest, TellsMissingVersionsApart) {
  const auto manifest = parsed(R"({"records":[["1",null],["2",""],["3"],["4","x"],["5",false],["6",0]]})");
  EXPECT_EQ(text_of(*manifest), "s1=- s2=- s3=- s4=x s5=false s6=0");
  EXPECT_TRUE(manifest->has_missing_version());
  EXPECT_TRUE(manifest->all_ids_are_strings());
}

TEST(Manifest, FindsIdsByTextAndKind) {
  std::string document = R"({"records":[)";
  for (int i = 0; i < 1000; ++i) {
    document +=
        (i == 0 ? "" : ",") + ("[" + std::to_string(i) + R"(,"v"],["x)" + std::to_string(i) + R"(","v"])");
  }
  const auto manifest = parsed(document + "]}");
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(manifest->find(std::to_string(i), true), 2 * i);
    EXPECT_EQ(manifest->find("x" + std::to_string(i), false), 2 * i + 1);
    EXPECT_EQ(manifest->find(std::to_string(i), false), std::nullopt);
  }
  EXPECT_EQ(manifest->find("1000", true), std::nullopt);
  EXPECT_TRUE(parsed(R"({"records":[[1,"v"],[2,"v"]]})")->all_ids_are_numbers());
}

TEST(Manifest, RefusesAnIdThatComesTwice) {
  EXPECT_EQ(error_of(R"({"records":[["1","a"],["2","b"],["1","c"]]})"), Error::duplicate_id);
  EXPECT_EQ(error_of(R"({"records":[["1","a"],["\u0031","c"]]})"), Error::duplicate_id);
  EXPECT_EQ(error_of(R"({"records":[[1,"a"],[1,"a"]]})"), Error::duplicate_id);
  EXPECT_EQ(text_of(*parsed(R"({"records":[[1,"a"],["1","b"],[1.0,"c"]]})")), "n1=a s1=b n1.0=c");
}

TEST(Manifest, RefusesOtherShapes) {
  for (const char* document : {"{}",
                               "[]",
                               "7",
                               R"({"records":{}})",
                               R"({"records":null})",
                               R"({"records":"x"})",
                               R"({"records":[],"records":[]})",
                               R"({"records":["1"]})",
                               R"({"records":[[]]})",
                               R"({"records":[null]})",
                               R"({"records":[[null,"v"]]})",
                               R"({"records":[[true,"v"]]})",
                               R"({"records":[[["1"],"v"]]})",
                               R"({"records":[["1",{}]]})",
                               R"({"records":[["1",["v"]]]})",
                               R"({"records":[],"schema":{}})",
                               R"({"records":[],"schema":true})",
                               R"({"records":[],"schema":"a","schema":"a"})",
                               R"({"records":[],"audience":["x"]})",
                               R"({"records":[],"audience":false})",
                               R"({"records":[],"audience":"a","audience":"b"})",
                               R"({"records":[],"members":[]})",
                               R"({"records":[],"members":1})",
                               R"({"records":[],"members":{},"members":{}})",
                               R"({"records":[],"members":{"a":1,"a":2}})",
                               R"({"records":[],"members":{"a":1,"\u0061":2}})",
                               R"({"courses":[{"id":"1"}]})"}) {
    EXPECT_EQ(error_of(document), Error::not_a_manifest) << document;
  }
  const ManifestShape objects = shape_of("", "/id", "/v");
  for (const char* document : {R"([{"id":1,"id":1}])", R"([{"id":1,"v":1,"v":1}])", R"([{"v":1}])",
                               R"([["id"]])", R"({"a":[]})", R"([{"id":{"id":1}}])"}) {
    EXPECT_EQ(error_of(document, objects), Error::not_a_manifest) << document;
  }
  const ManifestShape nested = shape_of("/a/b", "/c/id", "/v");
  ASSERT_FALSE(error_of(R"({"a":{"b":[{"c":{"id":1}}]}})", nested).failed());
  for (const char* document : {R"({"a":1,"a":{"b":[{"c":{"id":1}}]}})",
                               R"({"a":{"b":[{"c":{},"c":{"id":1}}]}})", R"({"a":{"b":[],"b":[]}})"}) {
    EXPECT_EQ(error_of(document, nested), Error::not_a_manifest) << document;
  }
}

TEST(Manifest, RefusesWhatIsNoJson) {
  for (const std::string& document :
       {""s, "{"s, R"({"records":[["1","v"]]}x)"s, R"({"records":[["\udc4d","v"]]})"s,
        "{\"records\":[[\"\xC1\",1]]}"s, "{\"records\":[]}\0"s}) {
    EXPECT_EQ(error_of(document), json::Error::malformed) << document;
  }
  EXPECT_EQ(error_of(std::string(500'000, '[')), json::Error::too_deep);
}

TEST(Manifest, RefusesEveryCut) {
  const std::string document =
      R"({"schema":"\u0041","records":[["1","a"],[2,null]],"members":{"m":[1,{"x":"y"}]},"audience":"b"})";
  ASSERT_FALSE(error_of(document).failed());
  for (std::size_t size = 0; size < document.size(); ++size) {
    EXPECT_TRUE(error_of(document.substr(0, size)).failed()) << size;
  }
}

TEST(Manifest, BoundsTheMembers) {
  std::string members;
  for (int i = 0; i < 100'000; ++i) members += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_EQ(error_of(R"({"records":[],"members":{)" + members + "}}"), Error::not_a_manifest);
}

TEST(Manifest, DigestsWhatTheCollectionDependsOn) {
  const auto pairs = [](const std::string& document) { return parsed(document)->pairs_digest(); };
  const auto whole = [](const std::string& document) { return parsed(document)->digest(); };
  const std::string base =
      R"({"schema":"s","records":[["1","a"],["2","b"]],"audience":"x","members":{"m":1}})";
  const std::string spaced =
      R"({ "members" : {"m":1}, "audience":"x", "records":[ ["\u0031","a", 0] , ["2","b"]], "schema":"s","extra":1})";
  EXPECT_EQ(pairs(base), pairs(spaced));
  EXPECT_EQ(whole(base), whole(spaced));
  for (const char* other :
       {R"({"schema":"t","records":[["1","a"],["2","b"]],"audience":"x","members":{"m":1}})",
        R"({"schema":"s","records":[["2","b"],["1","a"]],"audience":"x","members":{"m":1}})",
        R"({"schema":"s","records":[["1","a"],["2","c"]],"audience":"x","members":{"m":1}})",
        R"({"schema":"s","records":[["1","a"],[2,"b"]],"audience":"x","members":{"m":1}})",
        R"({"schema":"s","records":[["1","a"],["2",null]],"audience":"x","members":{"m":1}})",
        R"({"schema":"s","records":[["1","a"]],"audience":"x","members":{"m":1}})",
        R"({"schema":"s","records":[["1a",""],["2","b"]],"audience":"x","members":{"m":1}})"}) {
    EXPECT_NE(pairs(base), pairs(other)) << other;
    EXPECT_NE(whole(base), whole(other)) << other;
  }
  for (const char* other :
       {R"({"schema":"s","records":[["1","a"],["2","b"]],"audience":"y","members":{"m":1}})",
        R"({"schema":"s","records":[["1","a"],["2","b"]],"members":{"m":1}})",
        R"({"schema":"s","records":[["1","a"],["2","b"]],"audience":"x","members":{"m":2}})",
        R"({"schema":"s","records":[["1","a"],["2","b"]],"audience":"x"})"}) {
    EXPECT_EQ(pairs(base), pairs(other)) << other;
    EXPECT_NE(whole(base), whole(other)) << other;
  }
}

}  // namespace
}  // namespace tessera::cache
