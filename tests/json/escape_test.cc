#include "json/escape.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "json/encode.h"
#include "json/escape_reference.h"

namespace tessera::json {
namespace {

constexpr Escape kModes[] = {Escape::none, Escape::js, Escape::html};

using EscapeFunction = EscapeProgress (*)(Escape, const char*, const char*, char*, const char*);

std::string escaped(EscapeFunction function, Escape mode, std::string_view text) {
  std::string out(text.size() * 6 + 2 * kEscapeRoom, '\0');
  const EscapeProgress end =
      function(mode, text.data(), text.data() + text.size(), out.data(), out.data() + out.size());
  EXPECT_TRUE(end.valid);
  EXPECT_EQ(end.in, text.data() + text.size());
  out.resize(static_cast<std::size_t>(end.out - out.data()));
  return out;
}

// Every way to a safe string agrees with the reference.
void expect_all_agree(std::string_view text) {
  for (const Escape mode : kModes) {
    const std::string reference = reference_escape(mode, text);
    ASSERT_EQ(escaped(escape_text, mode, text), reference);
    ASSERT_EQ(escaped(escape_text_scalar, mode, text), reference);
    const std::string quoted = '"' + reference + '"';
    ASSERT_EQ(encode(text, {.escape = mode}).value(), quoted);
    const std::string plain = encode(text, {.escape = Escape::none}).value();
    ASSERT_EQ(reference_escape_json(mode, plain), quoted);
    ASSERT_EQ(escape_json(mode, plain), quoted);
    ASSERT_EQ(escape_json_scalar(mode, plain), quoted);
  }
}

TEST(JsonEscape, AgreesAtEveryBoundaryOfAVector) {
  const std::vector<std::string> specials = {
      "",       "\"",     "\\",     "<",      ">",      "&",      "\x1f",       "\u00e4",
      "\u2027", "\u2028", "\u2029", "\u202a", "\u20ac", "\uE028", "\U0001F600", "\u2028<\u2029"};
  for (const std::string& special : specials) {
    for (std::size_t before = 0; before <= 64; ++before) {
      for (std::size_t after = 0; before + after <= 64; after += after < 20 ? 1 : 7) {
        const std::string text = std::string(before, 'x') + special + std::string(after, 'y');
        ASSERT_NO_FATAL_FAILURE(expect_all_agree(text)) << before << " before, " << after << " after";
      }
    }
  }
}

// The buffer ends where the text ends, so that a sanitizer sees every byte too far.
TEST(JsonEscape, AgreesAtEveryAlignmentAndLength) {
  for (std::size_t length = 0; length <= 64; ++length) {
    for (std::size_t offset = 0; offset <= 64; ++offset) {
      const std::string pattern = "ab<c\"d\u2028e&\\f\u00e9gh>";
      std::string filled(offset, '&');
      while (filled.size() < offset + length) filled += pattern;
      std::vector<char> exact(filled.begin(), filled.begin() + static_cast<std::ptrdiff_t>(offset + length));
      std::string_view text(exact.data() + offset, length);
      while (!is_utf8(text)) text.remove_suffix(1);
      ASSERT_NO_FATAL_FAILURE(expect_all_agree(text)) << offset << " offset, " << length << " long";
    }
  }
}

TEST(JsonEscape, AgreesOnRandomTexts) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> pieces = {
      "a",    "bc",   "<",      ">",      "&",      "\"",     "\\",         "\n",
      "\x02", "\x7f", "\u00df", "\u2028", "\u2029", "\u20ac", "\U0001F600", "plain text of some length"};
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (auto left = random() % 60; left > 0; --left) text += pieces[random() % pieces.size()];
    ASSERT_NO_FATAL_FAILURE(expect_all_agree(text));
  }
}

// Bytes of any kind: the scans agree on where the text stops to be one, and a replaced text is one.
TEST(JsonEscape, AgreesOnRandomBytes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    constexpr std::string_view kLikely = "\xE2\x80\xA8\xA9\xED\xF4\xC3<>&\"\\a";
    std::string text(random() % 70, '\0');
    for (char& c : text) {
      c = random() % 4 == 0 ? static_cast<char>(random()) : kLikely[random() % kLikely.size()];
    }
    for (const Escape mode : kModes) {
      std::string out(text.size() * 6 + 2 * kEscapeRoom, '\0');
      std::string out_scalar = out;
      const char* const end = text.data() + text.size();
      const auto vector = escape_text(mode, text.data(), end, out.data(), out.data() + out.size());
      const auto scalar = escape_text_scalar(mode, text.data(), end, out_scalar.data(),
                                             out_scalar.data() + out_scalar.size());
      ASSERT_EQ(vector.valid, scalar.valid);
      ASSERT_EQ(vector.in, scalar.in);
      ASSERT_EQ(std::string_view(out.data(), vector.out), std::string_view(out_scalar.data(), scalar.out));
      ASSERT_EQ(escape_json(mode, text), reference_escape_json(mode, text));
      ASSERT_EQ(escape_json_scalar(mode, text), reference_escape_json(mode, text));
      const std::string replaced =
          encode(text, {.escape = mode, .invalid_utf8 = InvalidUtf8::replace}).value();
      ASSERT_TRUE(is_utf8(replaced));
      ASSERT_EQ(vector.valid, encode(text, {.escape = mode}).has_value());
    }
  }
}

TEST(JsonEscape, ChangesNothingInADocumentThatIsSafe) {
  const std::string safe = R"({"a":"\u003cb\u003e \u0026 \u2028","b":[1,2.5,null]})";
  for (const Escape mode : kModes) EXPECT_EQ(escape_json(mode, safe), safe);
  EXPECT_EQ(escape_json(Escape::html, R"({"<a>":"&"})"), R"({"\u003ca\u003e":"\u0026"})");
}

TEST(JsonEscape, HasRoomForDocumentsThatAreAllMarkup) {
  const std::string markup(100'000, '<');
  EXPECT_EQ(escape_json(Escape::html, markup), reference_escape_json(Escape::html, markup));
  EXPECT_EQ(escape_json(Escape::html, ""), "");
}

}  // namespace
}  // namespace tessera::json
