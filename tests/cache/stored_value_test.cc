#include "cache/stored_value.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace tessera::cache {
namespace {

constexpr SystemTime kBorn{std::chrono::microseconds(1'700'000'000'123'456)};
constexpr std::string_view kKey = "7:tessera1:11:f";

Fragment sample() {
  return Fragment({false, "42"}, "2024-03-05T07:08:09.123456Z", R"({"id":"42","t":"x"})", "1:c2:42",
                  {{"1:s1:1", "{1}"}, {"1:c1:9", ""}}, kBorn);
}

EnvelopeSet sample_envelopes() {
  EnvelopeSet set;
  set.born = kBorn;
  set.content_type = "application/json; charset=utf-8";
  set.content_language = "en";
  set.vary = {"accept-language", "x-tenant"};
  set.forms[0] = Envelope{{{Envelope::Kind::literal, R"({"data":[)"},
                           {Envelope::Kind::records, ""},
                           {Envelope::Kind::member, "meta"},
                           {Envelope::Kind::included, ""}},
                          ",",
                          std::nullopt};
  set.forms[2] = Envelope{{}, std::nullopt, ""};
  return set;
}

constexpr std::size_t kChecksumOffset = 6;
constexpr std::size_t kHeadSize = 14;

// The value with the checksum that goes with its content.
std::string sealed(std::string value) {
  const std::uint64_t of_key = XXH3_64bits(kKey.data(), kKey.size());
  std::uint64_t seal = XXH3_64bits_withSeed(value.data() + kHeadSize, value.size() - kHeadSize, of_key);
  for (std::size_t i = kChecksumOffset; i < kHeadSize; ++i, seal >>= 8U)
    value[i] = static_cast<char>(seal & 0xFFU);
  return value;
}

TEST(StoredFragment, ComesBackAsItWas) {
  const Fragment fragment = sample();
  const std::string value = encode_fragment(kKey, fragment, {"accept-language"});
  const auto stored = decode_fragment(kKey, value, fragment.id());
  ASSERT_TRUE(stored.has_value());
  const FragmentView before = fragment.view();
  const FragmentView after = stored->fragment->view();
  EXPECT_EQ(stored->vary, std::vector<std::string>{"accept-language"});
  EXPECT_EQ(stored->fragment->id(), fragment.id());
  EXPECT_EQ(stored->fragment->version(), fragment.version());
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_EQ(after.own_key, before.own_key);
  EXPECT_EQ(after.content, before.content);
  EXPECT_EQ(after.born, before.born);
  ASSERT_EQ(after.resources.size(), 2U);
  EXPECT_EQ(after.resources[0].key, "1:s1:1");
  EXPECT_EQ(after.resources[0].bytes, "{1}");
  EXPECT_TRUE(after.resources[1].is_mark());
}

TEST(StoredFragment, IsLaidOutAsDocumented) {
  const Fragment fragment({true, "1"}, "v", "{}", "", {}, SystemTime(std::chrono::microseconds(0x0102)));
  const std::string value = encode_fragment(kKey, fragment, {"a"});
  EXPECT_EQ(value.substr(0, kChecksumOffset),
            "TSRA\x02"
            "f");
  EXPECT_EQ(value, sealed(value));
  std::string body = value.substr(kHeadSize);
  const auto take = [&](std::size_t count) {
    const std::string taken = body.substr(0, count);
    body.erase(0, count);
    return taken;
  };
  EXPECT_EQ(take(8), std::string("\x02\x01\0\0\0\0\0\0", 8));  // born
  EXPECT_EQ(take(5), std::string("\x01\0\0\0v", 5));
  EXPECT_EQ(take(4), std::string("\x01\0\0\0", 4));  // one Vary name
  EXPECT_EQ(take(5), std::string("\x01\0\0\0a", 5));
  EXPECT_EQ(take(16), std::string(fragment.view().content.view()));
  EXPECT_EQ(take(6), std::string("\x02\0\0\0{}", 6));
  EXPECT_EQ(take(4), std::string("\0\0\0\0", 4));  // own key
  EXPECT_EQ(take(4), std::string("\0\0\0\0", 4));  // resources
  EXPECT_EQ(body, "");
}

TEST(StoredFragment, IsAMissWhenItIsCut) {
  const std::string value = encode_fragment(kKey, sample(), {"accept-language"});
  for (std::size_t size = 0; size < value.size(); ++size) {
    const std::vector<char> cut(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(size));
    const auto stored = decode_fragment(kKey, {cut.data(), cut.size()}, {false, "42"});
    ASSERT_TRUE(stored.has_error()) << size;
    EXPECT_EQ(stored.error(), Error::corrupt_value);
  }
  EXPECT_TRUE(decode_fragment(kKey, value + '\0', {false, "42"}).has_error());
}

TEST(StoredFragment, IsAMissWhenAnyByteDiffers) {
  const std::string value = encode_fragment(kKey, sample(), {"accept-language"});
  for (std::size_t i = 0; i < value.size(); ++i) {
    for (int flip = 1; flip < 256; ++flip) {
      std::string changed = value;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      ASSERT_TRUE(decode_fragment(kKey, changed, {false, "42"}).has_error()) << i << ' ' << flip;
    }
  }
}

TEST(StoredFragment, IsAMissUnderAnotherKey) {
  const std::string value = encode_fragment(kKey, sample(), {});
  EXPECT_TRUE(decode_fragment(std::string(kKey) + "x", value, {false, "42"}).has_error());
  EXPECT_TRUE(decode_fragment("", value, {false, "42"}).has_error());
}

TEST(StoredFragment, IsNoEnvelopeAndTheOtherWayRound) {
  EXPECT_TRUE(decode_envelopes(kKey, encode_fragment(kKey, sample(), {})).has_error());
  EXPECT_TRUE(decode_fragment(kKey, encode_envelopes(kKey, sample_envelopes()), {false, "42"}).has_error());
}

TEST(StoredEnvelopes, ComeBackAsTheyWere) {
  const EnvelopeSet set = sample_envelopes();
  const auto decoded = decode_envelopes(kKey, encode_envelopes(kKey, set));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, set);
  EXPECT_EQ(*decode_envelopes(kKey, encode_envelopes(kKey, EnvelopeSet())), EnvelopeSet());
}

TEST(StoredEnvelopes, AreAMissWhenCutOrChanged) {
  const std::string value = encode_envelopes(kKey, sample_envelopes());
  for (std::size_t i = 0; i < value.size(); ++i) {
    EXPECT_TRUE(decode_envelopes(kKey, std::string_view(value).substr(0, i)).has_error()) << i;
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = value;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_TRUE(decode_envelopes(kKey, changed).has_error()) << i;
    }
  }
}

// The checksum stops accidents; what gets past it (here: a seal that is right over wrong content) must still
// be safe.
TEST(StoredValue, SurvivesContentThatIsWrongUnderARightSeal) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    std::mt19937_64 random(seed);
    const bool is_fragment = seed % 2 == 0;
    const std::string value = is_fragment ? encode_fragment(kKey, sample(), {"a", "b"})
                                          : encode_envelopes(kKey, sample_envelopes());
    std::string changed = value;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      changed[kHeadSize + random() % (changed.size() - kHeadSize)] = static_cast<char>(random());
    }
    if (random() % 3 == 0) changed.resize(kHeadSize + random() % (changed.size() - kHeadSize));
    changed = sealed(std::move(changed));
    if (is_fragment) {
      const auto stored = decode_fragment(kKey, changed, {false, "42"});
      EXPECT_TRUE(stored.has_error() || stored->fragment->memory_bytes() <= 4096U) << seed;
    } else {
      const auto decoded = decode_envelopes(kKey, changed);
      EXPECT_TRUE(decoded.has_error() || decoded->memory_bytes() <= 8192U) << seed;
    }
  }
}

}  // namespace
}  // namespace tessera::cache
