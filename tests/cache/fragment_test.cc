#include "cache/fragment.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

constexpr SystemTime kBorn{std::chrono::seconds(1'700'000'000)};

json::CollectionSlice sliced(const std::string& document) {
  json::CollectionShape shape;
  shape.array = json::Pointer::parse("/data").value();
  shape.id = json::Pointer::parse("/id").value();
  shape.included = json::Pointer::parse("/included").value();
  return json::slice_collection(document, shape).value();
}

std::string resource(const std::string& type, const std::string& id,
                     const std::vector<std::string>& links = {}) {
  std::string text = R"({"type":")" + type + R"(","id":")" + id + R"(","relationships":{"to":{"data":[)";
  for (const std::string& link : links) {
    const std::size_t slash = link.find('/');
    if (text.back() == '}') text += ',';
    text += R"({"type":")" + link.substr(0, slash) + R"(","id":")" + link.substr(slash + 1) + R"("})";
  }
  return text + "]}}}";
}

std::string collection(const std::vector<std::string>& records, const std::vector<std::string>& included) {
  const auto joined = [](const std::vector<std::string>& elements) {
    std::string text;
    for (const std::string& element : elements) text += (text.empty() ? "" : ",") + element;
    return text;
  };
  return R"({"data":[)" + joined(records) + R"(],"included":[)" + joined(included) + "]}";
}

Result<std::vector<FragmentPtr>> fragments_of(const std::string& document, const TypeMap& types = {}) {
  const json::CollectionSlice slice = sliced(document);
  const std::vector<std::string_view> versions(slice.records.size(), "v");
  return make_fragments(slice, types, versions, kBorn);
}

// The fragment's resources as "s/1 s/2", marks with a '?' behind them.
std::string reached(const FragmentPtr& fragment) {
  std::string text;
  for (const ResourceView& view : fragment->view().resources) {
    const std::size_t colon = view.key.find(':');
    const std::string key(view.key);
    const std::size_t length = std::stoul(key);
    text += (text.empty() ? "" : " ") + key.substr(colon + 1, length) + '/';
    text += key.substr(key.find(':', colon + 1 + length) + 1);
    if (view.is_mark()) text += '?';
  }
  return text;
}

TEST(Fragment, KeepsItsOwnCopy) {
  std::string record = R"({"id":"1"})";
  std::vector<Fragment::Resource> resources = {{"k1", "{1}"}, {"k2", "{2}"}};
  const Fragment fragment({false, "1"}, "v1", record, "own", resources, kBorn);
  record.assign(record.size(), 'x');
  resources.clear();
  EXPECT_EQ(fragment.view().bytes, R"({"id":"1"})");
  EXPECT_EQ(fragment.view().own_key, "own");
  ASSERT_EQ(fragment.view().resources.size(), 2U);
  EXPECT_EQ(fragment.view().resources[1].key, "k2");
  EXPECT_EQ(fragment.view().resources[1].bytes, "{2}");
  EXPECT_EQ(fragment.view().born, kBorn);
  EXPECT_EQ(fragment.version(), "v1");
  EXPECT_EQ(fragment.id(), (json::Id{false, "1"}));
  EXPECT_GE(fragment.memory_bytes(), sizeof(Fragment) + 10 + 3 + 2 * (2 + 3));
}

TEST(Fragment, DigestsRecordAndResources) {
  const auto content = [](const char* record, const std::vector<Fragment::Resource>& resources) {
    return Fragment({false, "1"}, "v", record, "", resources, kBorn).view().content;
  };
  const Digest base = content("{}", {{"k", "{1}"}});
  EXPECT_EQ(base, content("{}", {{"k", "{1}"}}));
  EXPECT_EQ(base, content("{}", {{"k", "{1}"}, {"mark", ""}}));
  EXPECT_NE(base, content("{ }", {{"k", "{1}"}}));
  EXPECT_NE(base, content("{}", {{"k", "{2}"}}));
  EXPECT_NE(base, content("{}", {{"l", "{1}"}}));
  EXPECT_NE(base, content("{}", {}));
  EXPECT_NE(content("{}", {{"a", "1"}, {"b", "2"}}), content("{}", {{"b", "2"}, {"a", "1"}}));
}

TEST(Fragment, DoesNotDependOnVersionIdOrBirth) {
  const Fragment a({false, "1"}, "v1", "{}", "x", {}, kBorn);
  const Fragment b({true, "2"}, "v2", "{}", "y", {}, kBorn + std::chrono::hours(1));
  EXPECT_EQ(a.view().content, b.view().content);
}

TEST(ResourceKey, DoesNotLetTypeAndIdRunTogether) {
  EXPECT_NE(resource_key("a", "bc"), resource_key("ab", "c"));
  EXPECT_NE(resource_key("1:a", ""), resource_key("1", ":a"));
  EXPECT_EQ(resource_key("slide", "7"), "5:slide1:7");
}

TEST(MakeFragments, FilesRecordsUnderTheirVersions) {
  const std::string document = R"({"data":[{"id":1},{"id":"2"}]})";
  const json::CollectionSlice slice = sliced(document);
  const std::vector<std::string_view> versions = {"a", "b"};
  const auto fragments = make_fragments(slice, {}, versions, kBorn);
  ASSERT_EQ(fragments->size(), 2U);
  EXPECT_EQ((*fragments)[0]->id(), (json::Id{true, "1"}));
  EXPECT_EQ((*fragments)[0]->version(), "a");
  EXPECT_EQ((*fragments)[1]->view().bytes, R"({"id":"2"})");
  EXPECT_EQ((*fragments)[1]->version(), "b");
  EXPECT_EQ((*fragments)[1]->view().own_key, "");
}

TEST(MakeFragments, FollowsLinkageInFirstSeenOrder) {
  const auto fragments = fragments_of(collection(
      {resource("c", "1", {"s/1", "p/9", "s/2"}), resource("c", "2", {"s/2", "x/0"}), resource("c", "3")},
      {resource("s", "1", {"t/5"}), resource("t", "5", {"s/1", "p/9"}), resource("p", "9"),
       resource("s", "2")}));
  ASSERT_TRUE(fragments.has_value());
  EXPECT_EQ(reached((*fragments)[0]), "s/1 t/5 p/9 s/2");
  EXPECT_EQ(reached((*fragments)[1]), "s/2");
  EXPECT_EQ(reached((*fragments)[2]), "");
  EXPECT_EQ((*fragments)[0]->view().own_key, resource_key("c", "1"));
  EXPECT_EQ((*fragments)[0]->view().resources[0].bytes, resource("s", "1", {"t/5"}));
}

TEST(MakeFragments, MapsTypesOfLinkage) {
  const std::string document =
      collection({resource("course", "1", {"slide/1"})}, {resource("fast_slide", "1")});
  EXPECT_EQ(fragments_of(document).error(), Error::unattributed_resource);
  const auto fragments = fragments_of(document, {{"slide", "fast_slide"}});
  ASSERT_TRUE(fragments.has_value());
  EXPECT_EQ(reached((*fragments)[0]), "fast_slide/1");
}

TEST(MakeFragments, RefusesResourcesThatNoLinkageReaches) {
  EXPECT_EQ(fragments_of(collection({resource("c", "1")}, {resource("s", "1")})).error(),
            Error::unattributed_resource);
  // Two that reach each other, but that no record reaches.
  EXPECT_EQ(fragments_of(
                collection({resource("c", "1")}, {resource("s", "1", {"s/2"}), resource("s", "2", {"s/1"})}))
                .error(),
            Error::unattributed_resource);
  EXPECT_EQ(fragments_of(collection({resource("c", "1", {"s/1"})}, {resource("s", "1"), resource("s", "1")}))
                .error(),
            Error::unattributed_resource);
}

TEST(MakeFragments, MarksLinkageToOtherPrimaryRecords) {
  const auto fragments = fragments_of(collection(
      {resource("c", "1", {"c/1", "c/2", "s/1", "c/2"}), resource("c", "2")}, {resource("s", "1", {"c/1"})}));
  ASSERT_TRUE(fragments.has_value());
  EXPECT_EQ(reached((*fragments)[0]), "c/2? s/1");
  EXPECT_EQ(reached((*fragments)[1]), "");
}

TEST(MakeFragments, SurvivesLongChainsOfLinkage) {
  std::vector<std::string> included;
  constexpr int kLength = 100'000;
  for (int i = 0; i < kLength; ++i)
    included.push_back(resource("s", std::to_string(i), {"s/" + std::to_string(i + 1)}));
  const auto fragments = fragments_of(collection({resource("c", "1", {"s/0"})}, included));
  ASSERT_TRUE(fragments.has_value());
  EXPECT_EQ((*fragments)[0]->view().resources.size(), static_cast<std::size_t>(kLength));
}

}  // namespace
}  // namespace tessera::cache
