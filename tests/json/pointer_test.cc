#include "json/pointer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/pointer_set.h"

namespace tessera::json {
namespace {

using Tokens = std::vector<std::string>;

TEST(Pointer, ReadsEveryExampleOfTheStandard) {  // RFC 6901 section 5
  const std::vector<std::pair<std::string, Tokens>> examples = {
      {"", {}},
      {"/foo", {"foo"}},
      {"/foo/0", {"foo", "0"}},
      {"/", {""}},
      {"/a~1b", {"a/b"}},
      {"/c%d", {"c%d"}},
      {"/e^f", {"e^f"}},
      {"/g|h", {"g|h"}},
      {"/i\\j", {"i\\j"}},
      {"/k\"l", {"k\"l"}},
      {"/ ", {" "}},
      {"/m~0n", {"m~n"}},
      {"/~01", {"~1"}},
  };
  for (const auto& [text, tokens] : examples) {
    const Result<Pointer> pointer = Pointer::parse(text);
    ASSERT_TRUE(pointer.has_value()) << text;
    EXPECT_EQ(pointer->tokens(), tokens) << text;
    EXPECT_EQ(pointer->text(), text);
  }
}

TEST(Pointer, RefusesWhatIsNone) {
  for (const char* text : {"foo", "foo/bar", "#/foo", "/~", "/a~", "/~2", "/a~/b", " /a"}) {
    const Result<Pointer> pointer = Pointer::parse(text);
    ASSERT_TRUE(pointer.has_error()) << text;
    EXPECT_EQ(pointer.error(), Error::bad_pointer) << text;
  }
}

TEST(Pointer, IsTheWholeDocumentByDefault) {
  EXPECT_TRUE(Pointer().is_root());
  EXPECT_EQ(Pointer().text(), "");
  EXPECT_FALSE(Pointer::parse("/").value().is_root());
}

TEST(PointerSet, FollowsSeveralPointersAtOnce) {
  PointerSet set;
  const PointerSet::Mask id = set.add(Pointer::parse("/attributes/id").value());
  const PointerSet::Mask version = set.add(Pointer::parse("/attributes/updated_at").value());
  const PointerSet::Mask type = set.add(Pointer::parse("/type").value());
  EXPECT_EQ(set.all(), id | version | type);
  EXPECT_EQ(set.step(set.all(), 0, "type"), type);
  EXPECT_EQ(set.ending(type, 1), type);
  const PointerSet::Mask inside = set.step(set.all(), 0, "attributes");
  EXPECT_EQ(inside, id | version);
  EXPECT_EQ(set.ending(inside, 1), 0);
  EXPECT_EQ(set.step(inside, 1, "id"), id);
  EXPECT_EQ(set.step(inside, 1, "type"), 0);
}

TEST(PointerSet, TakesOnlyPlainIndexesForElements) {  // RFC 6901 section 4
  PointerSet set;
  const PointerSet::Mask plain = set.add(Pointer::parse("/10").value());
  set.add(Pointer::parse("/010").value());
  set.add(Pointer::parse("/-").value());
  set.add(Pointer::parse("/+10").value());
  set.add(Pointer::parse("/99999999999999999999999").value());
  EXPECT_EQ(set.step(set.all(), 0, std::size_t{10}), plain);
  EXPECT_EQ(set.step(set.all(), 0, "010"), 2);
  EXPECT_EQ(set.ending(set.add(Pointer()), 0), 32);
}

}  // namespace
}  // namespace tessera::json
