#include "json/writer.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::json {
namespace {

constexpr Escape kModes[] = {Escape::none, Escape::js, Escape::html};

// What the writer has to produce, said as simply as possible. For valid UTF-8 only.
std::string expected(Escape mode, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t short_form = std::string_view("\b\t\n\f\r\"\\").find(text[i]);
    char unicode[8];
    std::snprintf(unicode, sizeof unicode, "\\u%04x", static_cast<unsigned>(c));
    if (short_form != std::string_view::npos) {
      out += std::string("\\") + "btnfr\"\\"[short_form];
    } else if (c < 0x20 || (mode == Escape::html && (c == '<' || c == '>' || c == '&'))) {
      out += unicode;
    } else if (mode != Escape::none && (text.substr(i, 3) == "\u2028" || text.substr(i, 3) == "\u2029")) {
      out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

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
          ASSERT_EQ(written(mode, text), quoted(expected(mode, text)))
              << before << " before, " << after << " after";
          ASSERT_EQ(scalar(mode, text), expected(mode, text));
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
    ASSERT_EQ(written(mode, text), quoted(expected(mode, text)));
    ASSERT_EQ(scalar(mode, text), expected(mode, text));
  }
}

TEST(JsonWriter, KeepsLongTextsWholeWhileItGrows) {
  const std::string all_escaped(100'000, '<');
  EXPECT_EQ(written(Escape::html, all_escaped), quoted(expected(Escape::html, all_escaped)));
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
