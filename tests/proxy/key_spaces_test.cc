#include "proxy/key_spaces.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/proxy/forwarding_rig.h"

namespace tessera::proxy {
namespace {

class KeySpacesTest : public ::testing::Test {
 protected:
  static config::RouteSettings route() {
    config::RouteSettings settings;
    settings.name = "items";
    settings.vary = {"x-tenant"};
    return settings;
  }

  CollectionRequest asked(http::Request request, std::string target = "/items") const {
    request.head.target = std::move(target);
    return {request, settings_, {}};
  }
  static ManifestAnswer answered(const std::string& members, std::initializer_list<http::Field> fields = {}) {
    ManifestAnswer answer;
    answer.kind = ManifestAnswer::Kind::manifest;
    answer.head.fields = fields_of(fields);
    const cache::ManifestShape shape{*json::Pointer::parse("/records"), *json::Pointer::parse("/0"),
                                     *json::Pointer::parse("/1")};
    answer.manifest = *cache::Manifest::parse("{" + members + "\"records\":[]}", shape);
    return answer;
  }
  KeySpacePtr space(const CollectionRequest& request, const ManifestAnswer& answer) {
    return spaces_.envelopes(request, answer, &undeclared_);
  }

  const config::RouteSettings settings_ = route();
  const config::RedisSettings redis_;
  KeySpaces spaces_{settings_, redis_, "secret"};
  std::string undeclared_;
};

TEST_F(KeySpacesTest, AreTheSameOneForTheSameCaller) {
  const auto first = space(asked(request_of({{"Host", "a"}})), answered(""));
  ASSERT_TRUE(first);
  EXPECT_EQ(space(asked(request_of({{"Host", "a"}, {"User-Agent", "b"}})), answered("")), first);
}

// Each differs from the one before in one thing, and a place is kept for every one of them.
TEST_F(KeySpacesTest, DifferInWhateverMakesADifference) {
  const auto plain = asked(request_of({{"Host", "a"}}));
  const auto first = space(plain, answered(""));
  const auto differs = [&](const CollectionRequest& request, const ManifestAnswer& answer) {
    const auto other = space(request, answer);
    return other && other->digest() != first->digest() &&
           space(plain, answered(""))->digest() == first->digest();
  };
  EXPECT_TRUE(differs(asked(request_of({{"Host", "b"}})), answered("")));
  EXPECT_TRUE(differs(asked(request_of({{"Host", "a"}, {"X-Tenant", "c"}})), answered("")));
  EXPECT_TRUE(differs(asked(request_of({{"Host", "a"}, {"Accept", "text/json"}})), answered("")));
  EXPECT_TRUE(differs(asked(request_of({{"Host", "a"}, {"Authorization", "d"}})), answered("")));
  EXPECT_TRUE(differs(asked(request_of({{"Host", "a"}}), "/items?fields=title"), answered("")));
  EXPECT_TRUE(differs(plain, answered("\"schema\":\"2\",")));
  EXPECT_TRUE(differs(plain, answered("\"audience\":\"staff\",")));
  EXPECT_TRUE(differs(plain, answered("", {{"Vary", "Accept-Language"}})));
}

TEST_F(KeySpacesTest, TakeInWhatIsLearned) {
  const auto plain = asked(request_of({{"Host", "a"}, {"Accept-Language", "de"}}));
  const auto before = space(plain, answered(""));
  bool narrow = false;
  EXPECT_TRUE(spaces_.learn_vary({"accept-language"}, false, *before, &narrow, &undeclared_));
  EXPECT_TRUE(narrow);
  EXPECT_NE(space(plain, answered(""))->digest(), before->digest());
}

TEST_F(KeySpacesTest, KeepNothingThatIsMadeOfCredentials) {
  const auto caller = asked(request_of({{"Host", "a"}, {"Authorization", "Basic Zm9v"}}));
  const auto first = space(caller, answered(""));
  const auto second = space(caller, answered(""));
  EXPECT_NE(first, second);
  EXPECT_EQ(first->digest(), second->digest());
}

}  // namespace
}  // namespace tessera::proxy
