#include "json/codec.h"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "json/codec_fuzz.h"
#include "loadtest/sample_document.h"
#include "tests/corpus/replay.h"
#include "tests/json/random_document.h"

namespace tessera::json {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

// What a document becomes, or the reason why it is refused.
std::string round_trip(const Codec& codec, std::string_view document) {
  const Result<std::string> stored = codec.encode(document);
  if (!stored) return stored.error().message();
  Writer json(Escape::none);
  const Result<void> read = codec.decode(*stored, json);
  return read ? json.take() : "unreadable: " + read.error().message();
}

void expect_kept(std::string_view document) {
  for (const Codec* codec : all_codecs()) EXPECT_EQ(round_trip(*codec, document), document) << codec->name();
}

void expect_refused(std::string_view document, Error error) {
  for (const Codec* codec : all_codecs()) {
    const Result<std::string> stored = codec->encode(document);
    ASSERT_FALSE(stored.has_value()) << codec->name() << ": " << document.substr(0, 60);
    EXPECT_EQ(stored.error(), error) << codec->name();
  }
}

boost::system::error_code decode_error(const Codec& codec, std::string_view stored) {
  Writer json(Escape::none);
  const Result<void> read = codec.decode(stored, json);
  return read ? boost::system::error_code() : read.error();
}

// In hexadecimal digits; a long text of one byte may follow, which is left out.
std::string msgpack_head(std::string_view document, std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : msgpack_codec().encode(document).value().substr(0, bytes)) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4U];
    hex += kDigits[static_cast<unsigned char>(c) & 0xFU];
  }
  return hex;
}

std::string msgpack(std::string_view document) {
  return msgpack_head(document, std::string::npos);
}

TEST(Codec, IsFoundByItsName) {
  EXPECT_EQ(find_codec("yaml"), &yaml_codec());
  EXPECT_EQ(find_codec("json"), &json_codec());
  EXPECT_EQ(find_codec("msgpack"), &msgpack_codec());
  EXPECT_EQ(find_codec("xml"), nullptr);
  EXPECT_FALSE(msgpack_codec().is_text());
}

TEST(Codec, KeepsEveryKindOfValue) {
  for (
      const char* document :
      {"null", "true", "false", "0", "-1", "\"\"", "[]", "{}", "[[],{},[[]]]", R"({"":{"":[]}})",
       "[18446744073709551615,-9223372036854775808,9223372036854775807,9007199254740993]",
       "[0.1,-0.0,1.7976931348623157e+308,5e-324,2.2250738585072014e-308,1.5]",
       R"(["yes","No","ON","off","~","null","true","1","1.0","1e5","0x10","2001-01-01","12:30:45","<<","="])",
       R"(["a\nb","a\n\n","\r"," lead","trail ","\ttab","\u0000\u0001\u0004\u001b"])",
       R"({"yes":1,"1":2,"- a":3,"a: b":4,"#":5,"":6,"null":7,"<<":8,"&a":9,"b\nc":10})"}) {
    std::string expected = document;
    if (expected.find("324") != std::string::npos) {  // YAML 1.1 wants a point before an exponent
      EXPECT_EQ(round_trip(yaml_codec(), document),
                "[0.1,-0.0,1.7976931348623157e+308,5.0e-324,2.2250738585072014e-308,1.5]");
      EXPECT_EQ(round_trip(json_codec(), document), document);
      EXPECT_EQ(round_trip(msgpack_codec(), document), document);
    } else {
      expect_kept(document);
    }
  }
}

TEST(Codec, KeepsAnEmojiDelLineSeparatorsAndNoncharacters) {
  expect_kept(
      "[\"\xF0\x9F\x98\x80\",\"\x7F\",\"\xC2\x85\",\"\xE2\x80\xA8\",\"\xEF\xBB\xBF\",\"\xEF\xBF\xBF\","
      "\"\xEF\xB7\x90\",\"\xF0\x9F\xBF\xBE\"]");
}

TEST(Codec, KeepsLongNames) {
  for (const std::size_t length : {100U, 101U, 1'023U, 1'024U, 1'025U, 70'000U}) {
    expect_kept("{\"" + std::string(length, 'k') + "\":[{\"" + std::string(length, ' ') + "\":1}],\"a\":2}");
  }
}

TEST(Codec, KeepsAThousandRandomDocuments) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1'000; ++i) {  // documents are too long to be printed
    const std::string document = test::random_document(random);
    ASSERT_TRUE(round_trip(json_codec(), document) == document) << i;
    ASSERT_TRUE(round_trip(msgpack_codec(), document) == document) << i;
    // Exponents have got YAML's form: by value, which MessagePack shows, nothing has changed.
    const std::string from_yaml = round_trip(yaml_codec(), document);
    ASSERT_TRUE(round_trip(msgpack_codec(), from_yaml) == document) << i;
  }
}

TEST(Codec, KeepsTheSampleDocuments) {
  expect_kept(loadtest::sample_document());
  for (const Codec* codec : all_codecs()) {
    EXPECT_EQ(round_trip(msgpack_codec(), round_trip(*codec, loadtest::posts_document())),
              round_trip(msgpack_codec(), loadtest::posts_document()));
  }
}

TEST(Codec, WritesWithTheEscapesOfItsReader) {
  for (const Codec* codec : all_codecs()) {
    Writer json(Escape::html);
    ASSERT_TRUE(codec->decode(codec->encode(R"({"<b>":"&"})").value(), json).has_value());
    EXPECT_EQ(json.view(), R"({"\u003cb\u003e":"\u0026"})") << codec->name();
  }
}

// J1
TEST(Codec, KeepsNestingToTheLimitAndRefusesMore) {
  expect_kept(repeated("[", 128) + repeated("]", 128));
  expect_kept(repeated(R"({"a":)", 128) + "1" + repeated("}", 128));
  expect_refused(repeated("[", 129) + repeated("]", 129), Error::too_deep);
  expect_refused(repeated("[", 500'000), Error::too_deep);
  expect_refused(repeated(R"({"a":)", 500'000) + "1" + repeated("}", 500'000), Error::too_deep);
}

// J1
TEST(Codec, DecodersRefuseDeepNestingOfAnyLength) {
  EXPECT_EQ(decode_error(json_codec(), repeated("[", 500'000)), Error::too_deep);
  EXPECT_EQ(decode_error(msgpack_codec(), repeated("\x91", 500'000)), Error::too_deep);
  EXPECT_EQ(decode_error(yaml_codec(), repeated("- ", 500) + "a"), Error::too_deep);
  EXPECT_EQ(decode_error(yaml_codec(), repeated("[", 300) + repeated("]", 300)), Error::too_deep);
  EXPECT_TRUE(decode_error(yaml_codec(), repeated("[", 500'000)));
}

// J2
TEST(Codec, NeverReprintsNumbersOfJsonAndYaml) {
  const std::string document = R"({"id":9007199254740993,"n":18446744073709551617,"p":1.10,"z":-0.0,"m":-0})";
  EXPECT_EQ(round_trip(json_codec(), document), document);
  EXPECT_EQ(round_trip(yaml_codec(), document), document);
  EXPECT_EQ(round_trip(yaml_codec(), "[1E5,1.5e3,2e-7]"), "[1.0E+5,1.5e+3,2.0e-7]");
  expect_refused("[1E400]", Error::number_not_kept);
  expect_refused("[1E-400]", Error::number_not_kept);
}

// J3
TEST(Codec, RefusesWhatIsNoDocument) {
  for (const char* document : {"", "{", "[1,]", "NaN", "[Infinity]", "\"\xC3\x28\"", "\"\xED\xA0\x80\"",
                               "\"\\udc4d\"", "1 2", "{\"a\":1,}"}) {
    expect_refused(document, Error::malformed);
  }
}

// J3
TEST(Codec, RefusesMembersThatComeTwice) {
  expect_refused(R"({"a":1,"b":{"a":1},"a":2})", Error::name_repeated);
  expect_refused(R"([{"a":1,"\u0061":2}])", Error::name_repeated);
  expect_kept(R"([{"a":{"a":1}},{"a":2}])");
  EXPECT_EQ(decode_error(yaml_codec(), "a: 1\n\"a\": 2\n"), Error::name_repeated);
  EXPECT_EQ(decode_error(json_codec(), R"({"a":1,"a":2})"), Error::name_repeated);
  EXPECT_EQ(decode_error(msgpack_codec(),
                         "\x82\xA1"
                         "a\x01\xA1"
                         "a\x02"),
            Error::name_repeated);
}

// J4
TEST(MessagePackCodec, WritesTheShortestHeaders) {
  EXPECT_EQ(msgpack("\"" + std::string(31, 'a') + "\""), "bf" + repeated("61", 31));
  EXPECT_EQ(msgpack("\"" + std::string(32, 'a') + "\""), "d920" + repeated("61", 32));
  EXPECT_EQ(msgpack_head("\"" + std::string(255, 'a') + "\"", 3), "d9ff61");
  EXPECT_EQ(msgpack_head("\"" + std::string(256, 'a') + "\"", 4), "da010061");
  EXPECT_EQ(msgpack_head("\"" + std::string(65'536, 'a') + "\"", 6), "db0001000061");
  EXPECT_EQ(msgpack("[" + repeated("1,", 14) + "1]"), "9f" + repeated("01", 15));
  EXPECT_EQ(msgpack("[" + repeated("1,", 15) + "1]"), "dc0010" + repeated("01", 16));
  const auto object = [](int members) {
    std::string json = "{";
    for (int i = 0; i < members; ++i)
      json += (i > 0 ? ",\"" : "\"") + std::string(1, static_cast<char>('a' + i)) + "\":0";
    return json + "}";
  };
  EXPECT_EQ(msgpack_head(object(15), 4), "8fa16100");
  EXPECT_EQ(msgpack_head(object(16), 6), "de0010a16100");
  EXPECT_EQ(msgpack("[null,true,false,[],{},\"\"]"), "96c0c3c29080a0");
}

// J5
TEST(MessagePackCodec, WritesIntegersOfEveryWidthExactly) {
  const std::pair<const char*, const char*> cases[] = {{"0", "00"},
                                                       {"127", "7f"},
                                                       {"128", "cc80"},
                                                       {"255", "ccff"},
                                                       {"256", "cd0100"},
                                                       {"65535", "cdffff"},
                                                       {"65536", "ce00010000"},
                                                       {"4294967295", "ceffffffff"},
                                                       {"4294967296", "cf0000000100000000"},
                                                       {"9223372036854775807", "cf7fffffffffffffff"},
                                                       {"18446744073709551615", "cfffffffffffffffff"},
                                                       {"-1", "ff"},
                                                       {"-32", "e0"},
                                                       {"-33", "d0df"},
                                                       {"-128", "d080"},
                                                       {"-129", "d1ff7f"},
                                                       {"-32768", "d18000"},
                                                       {"-32769", "d2ffff7fff"},
                                                       {"-2147483648", "d280000000"},
                                                       {"-2147483649", "d3ffffffff7fffffff"},
                                                       {"-9223372036854775808", "d38000000000000000"},
                                                       {"0.5", "ca3f000000"},
                                                       {"0.1", "cb3fb999999999999a"}};
  for (const auto& [json, hex] : cases) {
    EXPECT_EQ(msgpack(json), hex) << json;
    EXPECT_EQ(round_trip(msgpack_codec(), json), json);
  }
}

// J5
TEST(MessagePackCodec, RefusesIntegersBeyond64Bits) {
  for (const char* json : {"18446744073709551616", "-9223372036854775809"}) {
    EXPECT_EQ(msgpack_codec().encode(json).error(), Error::number_not_kept);
    EXPECT_EQ(round_trip(json_codec(), json), json);
    EXPECT_EQ(round_trip(yaml_codec(), json), json);
  }
}

// J4
TEST(MessagePackCodec, RefusesWhatJsonHasNoFormFor) {
  using namespace std::string_view_literals;
  EXPECT_EQ(decode_error(msgpack_codec(),
                         "\xC4\x01"
                         "a"),
            Error::no_json_form);  // binary
  EXPECT_EQ(decode_error(msgpack_codec(),
                         "\xD4\x01"
                         "a"),
            Error::no_json_form);                                                               // extension
  EXPECT_EQ(decode_error(msgpack_codec(), "\xCB\x7F\xF8\0\0\0\0\0\0"sv), Error::no_json_form);  // NaN
  EXPECT_EQ(decode_error(msgpack_codec(), "\x81\x01\x02"), Error::undecodable);  // a name that is 1
  EXPECT_EQ(decode_error(msgpack_codec(), "\xA2\xC3\x28"), Error::undecodable);  // no UTF-8
  EXPECT_EQ(decode_error(msgpack_codec(), "\x01\x02"), Error::undecodable);      // two values
  EXPECT_EQ(decode_error(msgpack_codec(), ""), Error::undecodable);
  EXPECT_EQ(decode_error(msgpack_codec(), "\xDD\xFF\xFF\xFF\xFF"), Error::undecodable);
}

TEST(YamlCodec, QuotesOnlyWhereAReaderMayDoubt) {
  EXPECT_EQ(yaml_codec().encode(R"({"title":"two words","on":"it's","n":null,"v":"1.2","d":1e5})").value(),
            "title: two words\n\"on\": it's\n\"n\": null\nv: \"1.2\"\nd: 1.0e+5");
}

TEST(YamlCodec, RefusesWhatItNeverWrites) {
  for (const char* stored :
       {"a: &x [1]\nb: *x\n", "&a a: 1\n", "- &x a\n", "a: !!str 1\n", "!t {}\n", "!t []\n", "<<: {a: 1}\n",
        "a: 1\n---\nb: 2\n", "a: yes\n", "a: 2001-01-01\n", "a: 0x10\n", "a: .inf\n", "a: 1_000\n", "1: a\n",
        "~: a\n", "true: a\n", "[a]: b\n", "{a: 1}: b\n"}) {
    EXPECT_EQ(decode_error(yaml_codec(), stored), Error::no_json_form) << stored;
  }
  for (const char* stored : {"", "\n", "a: [", "a: \"b", "\xC3\x28", "a: \x04", "a:\tb"}) {
    EXPECT_EQ(decode_error(yaml_codec(), stored), Error::undecodable) << stored;
  }
}

TEST(CodecCorpus, Holds) {
  EXPECT_GT(corpus::replay("codec", fuzz_codecs), 10'000U);
}

}  // namespace
}  // namespace tessera::json
