#include "cache/key_space.h"

#include <fnmatch.h>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace tessera::cache {
namespace {

KeySpaceParts parts() {
  KeySpaceParts parts;
  parts.prefix = "tessera";
  parts.route = "courses";
  parts.epoch = "1";
  parts.schema = "7f3a";
  parts.media_type = "application/json";
  parts.vary = {{"accept-language", "fr"}};
  parts.parameters = "fields=title";
  parts.audience = "s";
  return parts;
}

TEST(KeySpace, WritesEachPartWithItsLength) {
  const KeySpace space(parts());
  EXPECT_EQ(space.redis_key(kFragmentKind, "42", false),
            "7:tessera1:21:f7:courses1:14:7f3a41:16:application/json15:accept-language2:fr"
            "12:fields=title1:s3:s42");
  EXPECT_EQ(space.redis_key(kEnvelopeKind, "", false),
            "7:tessera1:21:e7:courses1:14:7f3a41:16:application/json15:accept-language2:fr"
            "12:fields=title1:s0:");
}

TEST(KeySpace, KeepsNumberAndStringIdsApart) {
  const KeySpace space(parts());
  EXPECT_NE(space.redis_key('f', "1", false), space.redis_key('f', "1", true));
  EXPECT_NE(space.redis_key('f', "", false), space.redis_key('e', "", false));
  EXPECT_NE(space.redis_key('f', "n1", false), space.redis_key('f', "1", true));
}

TEST(KeySpace, DependsOnEveryPart) {
  std::vector<KeySpaceParts> variants(10, parts());
  variants[1].prefix += "x";
  variants[2].route += "x";
  variants[3].epoch += "x";
  variants[4].schema += "x";
  variants[5].media_type += "x";
  variants[6].vary[0].first += "x";
  variants[7].vary[0].second += "x";
  variants[8].parameters += "x";
  variants[9].audience += "x";
  std::set<std::string> keys;
  std::set<std::string> digests;
  for (const KeySpaceParts& variant : variants) {
    const KeySpace space(variant);
    keys.insert(space.redis_key('f', "1", false));
    digests.insert(space.digest().hex());
  }
  EXPECT_EQ(keys.size(), variants.size());
  EXPECT_EQ(digests.size(), variants.size());
}

// Parts whose plain concatenation is the same.
TEST(KeySpace, DoesNotLetPartsRunTogether) {
  std::mt19937_64 random(3);
  std::set<std::string> keys;
  std::set<std::string> digests;
  std::set<std::string> sources;
  const auto piece = [&] { return std::string(random() % 3, "1:"[random() % 2]); };
  for (int i = 0; i < 20'000; ++i) {
    KeySpaceParts some;
    some.route = piece();
    some.epoch = piece();
    some.schema = piece();
    some.media_type = piece();
    if (random() % 2 == 0) some.vary.emplace_back(piece(), piece());
    if (random() % 4 == 0) some.vary.emplace_back(piece(), piece());
    some.parameters = piece();
    some.audience = piece();
    std::string source;
    for (const std::string* part :
         {&some.route, &some.epoch, &some.schema, &some.media_type, &some.parameters, &some.audience}) {
      source += *part + '|';
    }
    for (const auto& [name, value] : some.vary) source += name + '=' + value + '|';
    const KeySpace space(some);
    sources.insert(source);
    keys.insert(space.redis_key('f', "1", false));
    digests.insert(space.digest().hex());
  }
  EXPECT_EQ(keys.size(), sources.size());
  EXPECT_EQ(digests.size(), sources.size());
}

TEST(KeySpace, CarriesAnyByte) {
  KeySpaceParts odd = parts();
  odd.route = std::string("a\0%s *", 6);
  odd.audience = "a\xFF\r\n";
  const KeySpace space(odd);
  const std::string id("%n\0 \r\n", 6);
  const std::string key = space.redis_key('f', id, false);
  ParsedKey parsed;
  ASSERT_TRUE(parse_redis_key(key, parsed));
  EXPECT_EQ(parsed.id, id);
  EXPECT_EQ(parsed.route, odd.route);
}

TEST(ParseRedisKey, ReadsWhatWasWritten) {
  const KeySpace space(parts());
  ParsedKey parsed;
  const std::string fragment = space.redis_key('f', "42", true);
  ASSERT_TRUE(parse_redis_key(fragment, parsed));
  EXPECT_EQ(parsed.prefix, "tessera");
  EXPECT_EQ(parsed.route, "courses");
  EXPECT_EQ(parsed.kind, 'f');
  EXPECT_EQ(parsed.id, "42");
  EXPECT_TRUE(parsed.id_is_number);
  const std::string envelope = space.redis_key('e', "", false);
  ASSERT_TRUE(parse_redis_key(envelope, parsed));
  EXPECT_EQ(parsed.kind, 'e');
  EXPECT_EQ(parsed.id, "");
}

TEST(ParseRedisKey, RefusesEveryCutAndForeignKeys) {
  const std::string key = KeySpace(parts()).redis_key('f', "42", false);
  ParsedKey parsed;
  for (std::size_t size = 0; size < key.size(); ++size) {
    EXPECT_FALSE(parse_redis_key(std::string_view(key).substr(0, size), parsed)) << size;
  }
  EXPECT_FALSE(parse_redis_key(key + "x", parsed));
  for (std::string foreign :
       {"foo", "7:tessera", "-1:a", "+1:a", "99999999999999999999:a", "01:a1:11:f", ":::::::::", "a:1"}) {
    EXPECT_FALSE(parse_redis_key(foreign, parsed)) << foreign;
  }
  std::string other = key;
  other[other.find("1:f") + 2] = 'g';
  EXPECT_FALSE(parse_redis_key(other, parsed));
  std::string format = key;
  format[format.find("1:2") + 2] = '3';
  EXPECT_FALSE(parse_redis_key(format, parsed));
}

TEST(RedisPattern, MatchesBothKindsOfTheRouteOnly) {
  KeySpaceParts odd = parts();
  odd.prefix = "te*s[s]?\\era";
  odd.route = "cour*ses-[x]^";
  const KeySpace space(odd);
  KeySpaceParts else_where = odd;
  else_where.route = "courXses-[x]^";
  const KeySpace other(else_where);
  const auto matches = [](const std::string& pattern, const std::string& key) {
    return fnmatch(pattern.c_str(), key.c_str(), 0) == 0;
  };
  const std::string route = redis_pattern(odd.prefix, odd.route);
  EXPECT_TRUE(matches(route, space.redis_key('f', "42", false)));
  EXPECT_TRUE(matches(route, space.redis_key('e', "", false)));
  EXPECT_FALSE(matches(route, other.redis_key('f', "42", false)));
  const std::string everything = redis_pattern(odd.prefix, "");
  EXPECT_TRUE(matches(everything, space.redis_key('f', "42", false)));
  EXPECT_TRUE(matches(everything, other.redis_key('e', "", false)));
  KeySpaceParts foreign = odd;
  foreign.prefix = "te-s[s]?\\era";
  EXPECT_FALSE(matches(everything, KeySpace(foreign).redis_key('f', "42", false)));
}

}  // namespace
}  // namespace tessera::cache
