#include "json/writer.h"

#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "json/escape_reference.h"

namespace tessera::json {
namespace {

constexpr Escape kModes[] = {Escape::none, Escape::js, Escape::html};

std::string written(Escape mode, std::string_view text) {
  Writer writer(mode);
  writer.string(text);
  EXPECT_TRUE(writer.is_valid());
  return writer.take();
}

std::string scalar(Escape mode, std::string_view text) {
  std::string out(text.size() * 6 + 2 * kEscapeRoom, '\0');
  const EscapeProgress end =
      escape_text_scalar(mode, text.data(), text.data() + text.size(), out.data(), out.data() + out.size());
  EXPECT_TRUE(end.valid);
  out.resize(static_cast<std::size_t>(end.out - out.data()));
  return out;
}

std::string quoted(const std::string& inside) {
  return '"' + inside + '"';
}

TEST(JsonWriter, WritesEachKindOfValueWithCommasBetween) {
  Writer writer(Escape::none);
  writer.begin_object();
  writer.key(Key("a"));
  writer.begin_array();
  writer.number(0);
  writer.number(INT64_MIN);
  writer.number(INT64_MAX);
  writer.end_array();
  writer.key("b");
  writer.begin_object();
  writer.end_object();
  writer.key(Key("c"));
  writer.boolean(true);
  writer.key(Key("d"));
  writer.boolean(false);
  writer.key(Key("e"));
  writer.null();
  writer.key(Key("f"));
  writer.raw("[1]");
  writer.key(Key("g"));
  writer.string("x");
  writer.key(Key("h"));
  writer.begin_array();
  writer.begin_array();
  writer.end_array();
  writer.begin_object();
  writer.end_object();
  writer.end_array();
  writer.end_object();
  EXPECT_EQ(writer.take(),
            R"({"a":[0,-9223372036854775808,9223372036854775807],"b":{},"c":true,"d":false,"e":null,)"
            R"("f":[1],"g":"x","h":[[],{}]})");
}

TEST(JsonWriter, WritesIntegersOfEveryWidthExactly) {
  Writer writer(Escape::none);
  writer.begin_array();
  writer.number(std::int8_t{-128});
  writer.number(std::uint8_t{255});
  writer.number(std::int16_t{-32768});
  writer.number(std::uint32_t{4294967295U});
  writer.number(UINT64_MAX);
  writer.end_array();
  EXPECT_EQ(writer.take(), "[-128,255,-32768,4294967295,18446744073709551615]");
}

#ifdef __SIZEOF_INT128__
TEST(JsonWriter, WritesIntegersOf128BitsExactly) {
  const UInt128 largest = ~UInt128{0};
  const auto largest_signed = static_cast<Int128>(largest >> 1U);
  Writer writer(Escape::none);
  writer.begin_array();
  writer.number(largest);
  writer.number(largest_signed);
  writer.number(-largest_signed - 1);
  writer.number(Int128{0});
  writer.end_array();
  EXPECT_EQ(writer.take(),
            "[340282366920938463463374607431768211455,170141183460469231731687303715884105727,"
            "-170141183460469231731687303715884105728,0]");
}
#endif

TEST(JsonWriter, WritesFloatingNumbersThatReadBackEqual) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<double> values = {0.0,  -0.0,    1.0,     -1.0,   0.1,     1e100,      -1e-100,     1e5,   1e16,
                                1e22, DBL_MAX, DBL_MIN, 5e-324, 2.0 / 3, 1e15 + 0.5, 123456789.0, 0x1p53};
  for (int i = 0; i < 2'000; ++i) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (std::isfinite(value)) values.push_back(value);
  }
  for (const double value : values) {
    Writer writer(Escape::none);
    writer.number(value);
    const std::string text = writer.take();
    double back = 1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(read.ptr, text.data() + text.size()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value)) << text;
    ASSERT_NE(text.find_first_of(".e"), std::string::npos) << text << " would be read as an integer";
    const auto single = static_cast<float>(value);
    if (!std::isfinite(single)) continue;
    writer.number(single);
    ASSERT_EQ(std::strtof(writer.take().c_str(), nullptr), single);
  }
}

TEST(JsonWriter, WritesNullForNumbersThatAreNone) {
  Writer writer(Escape::none);
  writer.begin_array();
  writer.number(std::nan(""));
  writer.number(-INFINITY);
  writer.end_array();
  EXPECT_TRUE(writer.is_valid());
  EXPECT_EQ(writer.take(), "[null,null]");
}

TEST(JsonWriter, RefusesNumbersThatAreNoneWhenAsked) {
  Writer writer(Escape::none, InvalidUtf8::error, NonFinite::error);
  writer.number(HUGE_VALF);
  EXPECT_EQ(writer.fault(), Error::not_finite);
}

TEST(JsonWriter, WritesInternedNamesAsItWritesThemFromText) {
  KeyTable table;
  for (const std::string name : {"", "id", "a name as long as none that is known when compiling", "<b>", "\"",
                                 "\u00e4", "exactly_thirty_two_bytes_w_q", "exactly_thirty_two_bytes_w_qu"}) {
    for (const Escape mode : kModes) {
      Writer interned(mode);
      interned.begin_object();
      interned.key(table.intern(name));
      interned.string(table.intern(name));
      interned.end_object();
      Writer plain(mode);
      plain.begin_object();
      plain.key(name);
      plain.string(name);
      plain.end_object();
      EXPECT_EQ(interned.view(), plain.view());
    }
    EXPECT_EQ(&table.intern(name), &table.intern(std::string(name)));
  }
}

TEST(JsonWriter, IsEmptyAfterTheDocumentWasTaken) {
  Writer writer(Escape::none);
  writer.string("one");
  EXPECT_EQ(writer.size(), 5U);
  EXPECT_EQ(writer.take(), "\"one\"");
  EXPECT_EQ(writer.size(), 0U);
  writer.string("two");
  EXPECT_EQ(writer.view(), "\"two\"");
}

TEST(JsonWriter, EscapesWhatTheTableOfModesSays) {
  const std::string text = "\"\\/'<>&\x01\x1f\x7f\b\t\n\f\r\u00e4\u2028\u2029\U0001F600";
  EXPECT_EQ(written(Escape::none, text),
            "\"\\\"\\\\/'<>&\\u0001\\u001f\x7f\\b\\t\\n\\f\\r\u00e4\u2028\u2029\U0001F600\"");
  EXPECT_EQ(written(Escape::js, text),
            "\"\\\"\\\\/'<>&\\u0001\\u001f\x7f\\b\\t\\n\\f\\r\u00e4\\u2028\\u2029\U0001F600\"");
  EXPECT_EQ(
      written(Escape::html, text),
      "\"\\\"\\\\/'\\u003c\\u003e\\u0026\\u0001\\u001f\x7f\\b\\t\\n\\f\\r\u00e4\\u2028\\u2029\U0001F600\"");
}

TEST(JsonWriter, EscapesNamesOfMembersToo) {
  Writer writer(Escape::html);
  writer.begin_object();
  writer.key("<a>&\"\u2028");
  writer.null();
  writer.end_object();
  EXPECT_EQ(writer.take(), R"({"\u003ca\u003e\u0026\"\u2028":null})");
}

TEST(JsonWriter, EscapesEverySpecialCharacterAtEveryPlaceInAVector) {
  const std::vector<std::string> specials = {
      "\"",     "\\",     "\n",     std::string(1, '\0'), "\x1f", "<", ">", "&", "\u007f", "\u00e4", "\u2027",
      "\u2028", "\u2029", "\u202a", "\U0001F600",         "'"};
  for (const Escape mode : kModes) {
    for (const std::string& special : specials) {
      for (std::size_t before = 0; before <= 34; ++before) {
        for (const std::size_t after : {0U, 1U, 15U, 16U, 17U}) {
          const std::string text = std::string(before, 'x') + special + std::string(after, 'y');
          ASSERT_EQ(written(mode, text), quoted(reference_escape(mode, text)))
              << before << " before, " << after << " after";
          ASSERT_EQ(scalar(mode, text), reference_escape(mode, text));
        }
      }
    }
  }
}

TEST(JsonWriter, AgreesWithTheReferenceOnRandomTexts) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> pieces = {
      "a",  "bc",   " ",      "<",      ">",      "&",      "\"",         "\\",
      "\n", "\x02", "\u00df", "\u2028", "\u2029", "\u20ac", "\U0001F600", "plain text of some length"};
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto left = random() % 60; left > 0; --left) text += pieces[random() % pieces.size()];
    const Escape mode = kModes[random() % 3];
    ASSERT_EQ(written(mode, text), quoted(reference_escape(mode, text)));
    ASSERT_EQ(scalar(mode, text), reference_escape(mode, text));
  }
}

TEST(JsonWriter, KeepsLongTextsWholeWhileItGrows) {
  const std::string all_escaped(100'000, '<');
  EXPECT_EQ(written(Escape::html, all_escaped), quoted(reference_escape(Escape::html, all_escaped)));
  const std::string plain(100'000, 'p');
  EXPECT_EQ(written(Escape::html, plain), quoted(plain));
}

TEST(JsonWriter, RefusesTextsThatAreNotUtf8) {
  const std::vector<std::string> invalid = {
      "\x80",          // a continuation without a start
      "\xC1\x81",      // overlong
      "\xE0\x80\x80",  // overlong
      "\xF0\x80\x80\x80",
      "\xED\xA0\x80",      // a surrogate
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF5\x80\x80\x80",
      "\xFF",
      "\xC3",  // cut
      "\xE2\x82",
      "\xF0\x9F\x98",
      "\xE2\x28\xA1",
  };
  for (const Escape mode : kModes) {
    for (const std::string& bytes : invalid) {
      for (const std::size_t before : {0U, 7U, 15U, 16U, 31U}) {
        const std::string text = std::string(before, 'x') + bytes + (bytes.size() == 1 ? "" : "yyyy");
        Writer writer(mode);
        writer.string(text);
        EXPECT_FALSE(writer.is_valid()) << ::testing::PrintToString(text);
        EXPECT_FALSE(is_utf8(text));
      }
    }
  }
}

// The substitution of maximal subparts, by the examples of the Unicode Standard, section 3.9, tables 3-8 to
// 3-11.
TEST(JsonWriter, ReplacesWhatIsNotUtf8WhenAsked) {
  const std::string r = "\uFFFD";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", r + r + r + r + r + r + r + r + "A"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", r + r + r + r + r + r + r + r + "A"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", r + r + r + r + r + "A" + r + r + "B"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", r + r + r + r + "A"},
      {"\xE2\x82", r},
      {"\xFF", r},
  };
  for (const Escape mode : kModes) {
    for (const auto& [text, replaced] : cases) {
      for (std::size_t before = 0; before <= 34; ++before) {
        const std::string x(before, 'x');
        Writer writer(mode, InvalidUtf8::replace);
        writer.string(x + text);
        EXPECT_TRUE(writer.is_valid());
        ASSERT_EQ(writer.take(), quoted(x + replaced));
      }
    }
    Writer writer(mode, InvalidUtf8::replace);
    writer.string(std::string(5'000, '\xFF'));
    const std::string document = writer.take();
    EXPECT_EQ(document.size(), 15'002U);
    EXPECT_TRUE(is_utf8(document));
  }
}

TEST(JsonWriter, StaysInvalidWhateverIsWrittenAfterwards) {
  Writer writer(Escape::none);
  writer.begin_array();
  writer.string("\xFF");
  writer.string("good");
  writer.end_array();
  EXPECT_FALSE(writer.is_valid());
}

TEST(JsonWriter, AcceptsTheFirstAndLastSequenceOfEachLength) {
  for (const std::string_view text :
       {"\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(written(Escape::html, text), quoted(std::string(text)));
  }
}

}  // namespace
}  // namespace tessera::json
