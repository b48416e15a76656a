#include "tests/json/random_document.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "json/writer.h"

namespace tessera::json::test {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTexts = {""sv,
                               " "sv,
                               "yes"sv,
                               "No"sv,
                               "ON"sv,
                               "off"sv,
                               "y"sv,
                               "~"sv,
                               "null"sv,
                               "NULL"sv,
                               "true"sv,
                               "False"sv,
                               "1"sv,
                               "-1"sv,
                               "1.0"sv,
                               "1e5"sv,
                               "0x1F"sv,
                               "0o17"sv,
                               "017"sv,
                               "1_000"sv,
                               "190:20:30"sv,
                               ".inf"sv,
                               "-.INF"sv,
                               ".NaN"sv,
                               "2001-01-01"sv,
                               "2001-12-14t21:59:43.10-05:00"sv,
                               "<<"sv,
                               "="sv,
                               "-"sv,
                               "?"sv,
                               ":"sv,
                               "- a"sv,
                               "a: b"sv,
                               "a #b"sv,
                               "#"sv,
                               "&a"sv,
                               "*a"sv,
                               "!t"sv,
                               "|"sv,
                               ">"sv,
                               "%YAML"sv,
                               "@"sv,
                               "`"sv,
                               "---"sv,
                               "..."sv,
                               "[a]"sv,
                               "{a}"sv,
                               "a,b"sv,
                               "'"sv,
                               "\""sv,
                               "\\"sv,
                               "two\nlines"sv,
                               "\n"sv,
                               "end\n\n"sv,
                               "\r\n"sv,
                               "\ttab"sv,
                               " lead"sv,
                               "trail "sv,
                               "\0nul"sv,
                               "\x01\x04\x1B\x7F"sv,
                               "\xC2\x85"sv,
                               "\xC2\xA0"sv,
                               "\xE2\x80\xA8\xE2\x80\xA9"sv,
                               "\xEF\xBB\xBF"sv,
                               "\xEF\xBF\xBE"sv,
                               "\xEF\xBF\xBF"sv,
                               "\xEF\xB7\x90"sv,
                               "\xF0\x9F\x98\x80"sv,
                               "\xF4\x8F\xBF\xBF"sv,
                               "\xED\x9F\xBF"sv,
                               "plain words"sv,
                               "it's"sv,
                               "a/b@c.d"sv,
                               "日本語"sv,
                               "<b>&amp;</b>"sv};

std::string random_text(std::mt19937_64& random) {
  std::string text(kTexts[random() % kTexts.size()]);
  if (random() % 4 == 0) text.append(kTexts[random() % kTexts.size()]);
  if (random() % 50 == 0) text.append(random() % 2'000, 'k');
  return text;
}

void write_integer(Writer& json, std::mt19937_64& random) {
  const std::uint64_t value = random() >> (random() % 64);
  if (random() % 2 == 0) {
    json.number(value);
  } else {
    json.number(static_cast<std::int64_t>(value));
  }
}

void write_double(Writer& json, std::mt19937_64& random) {
  const auto value = std::bit_cast<double>(random());
  json.number(std::isfinite(value) ? value : 0.1);
}

void write_value(Writer& json, std::mt19937_64& random, int depth) {
  const std::size_t size = random() % 20;
  switch (random() % (depth > 6 ? 6 : 9)) {
    case 0:
      return json.null();
    case 1:
      return json.boolean(random() % 2 == 0);
    case 2:
      return write_integer(json, random);
    case 3:
      return write_double(json, random);
    case 4:
    case 5:
      return json.string(random_text(random));
    case 6:
      json.begin_array();
      for (std::size_t i = 0; i < size; ++i) write_value(json, random, depth + 1);
      return json.end_array();
    default:
      json.begin_object();
      for (std::size_t i = 0; i < size; ++i) {
        std::string name = random_text(random);
        if (i > 0) name += 'x' + std::to_string(i);  // so that none comes twice
        json.key(name);
        write_value(json, random, depth + 2);
      }
      return json.end_object();
  }
}

}  // namespace

std::string random_document(std::mt19937_64& random) {
  Writer json(Escape::none);
  write_value(json, random, 0);
  return json.take();
}

}  // namespace tessera::json::test
