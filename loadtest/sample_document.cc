#include "loadtest/sample_document.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "json/writer.h"

namespace tessera::loadtest {
namespace {

constexpr std::array<std::string_view, 32> kWords = {
    "lorem", "ipsum",  "dolor",   "sit",    "amet",   "consectetur", "adipisicing", "elit",
    "sed",   "do",     "eiusmod", "tempor", "magna",  "incididunt",  "ut",          "labore",
    "et",    "dolore", "aliqua",  "enim",   "minim",  "veniam",      "quis",        "nostrud",
    "yes",   "no",     "null",    "culpa",  "mollit", "anim",        "laborum",     "officia"};

constexpr std::array<std::string_view, 8> kPosts = {
    "@aym0566x 名前:前田あゆみ 第一印象:なんか怖っ！ 今の印象:とりあえずキモい。噛み合わない",
    "RT @KATANA77: えっそれは・・・（一同） http://t.co/PkCJAcSuYK?a=1&b=2",
    "<b>Bold</b> & \"quoted\" \\ text\nwith two lines\tand a tab",
    "Привет, мир! Ещё одна запись \xF0\x9F\x98\x80\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD",
    "\xE2\x80\xA8line and paragraph separators\xE2\x80\xA9",
    "مرحبا بالعالم",
    "2014-08-31",
    " leading and trailing blanks "};

// splitmix64 (Vigna): small, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return (z ^ (z >> 31U)) % limit;
  }
  std::string_view word() { return kWords[below(kWords.size())]; }
  std::string words(std::size_t count) {
    std::string text(word());
    while (--count > 0) text.append(1, ' ').append(word());
    return text;
  }

 private:
  std::uint64_t state_;
};

void member(json::Writer& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}

void member(json::Writer& json, std::string_view name, std::int64_t value) {
  json.key(name);
  json.number(value);
}

void decimal(json::Writer& json, std::string_view name, double value) {
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  json.key(name);
  json.raw({digits, static_cast<std::size_t>(end - digits)});
}

void write_friends(json::Writer& json, Random& random, int depth) {
  json.key("friends");
  json.begin_array();
  for (int i = 0; i < 3; ++i) {
    json.begin_object();
    member(json, "id", i);
    member(json, "name", random.words(2));
    if (depth > 1) write_friends(json, random, depth - 1);
    json.end_object();
  }
  json.end_array();
}

void write_person(json::Writer& json, Random& random, std::int64_t id) {
  json.begin_object();
  member(json, "id", id);
  member(json, "name", random.words(2));
  member(json, "age", static_cast<std::int64_t>(20 + random.below(60)));
  decimal(json, "balance", static_cast<double>(random.below(1'000'000)) / 128);
  decimal(json, "latitude", static_cast<double>(random.below(180'000'000)) / 1e6 - 90.5);
  json.key("is_active");
  json.boolean(random.below(2) == 0);
  json.key("manager");
  json.null();
  member(json, "registered", "2014-08-31T07:0" + std::to_string(random.below(10)) + ":00Z");
  member(json, "phone", "0" + std::to_string(100'000 + random.below(900'000)));
  json.key("tags");
  json.begin_array();
  for (int i = 0; i < 7; ++i) json.string(random.word());
  json.end_array();
  write_friends(json, random, 2);
  member(json, "about", random.words(60) + ".\n" + random.words(30) + ".\n");
  json.end_object();
}

void write_user(json::Writer& json, Random& random) {
  json.begin_object();
  member(json, "id", static_cast<std::int64_t>(1'186'275'104 + random.below(1'000'000'000)));
  member(json, "name", kPosts[random.below(kPosts.size())]);
  member(json, "screen_name", random.word());
  member(json, "description", kPosts[random.below(kPosts.size())]);
  json.key("url");
  json.null();
  json.key("entities");
  json.begin_object();
  json.key("urls");
  json.begin_array();
  json.end_array();
  json.end_object();
  json.end_object();
}

}  // namespace

std::string sample_document() {
  // What is left when the people are written fills the last text.
  constexpr std::size_t kPeople = 40;
  Random random(87'505);
  json::Writer json(json::Escape::none);
  json.begin_object();
  json.key("people");
  json.begin_array();
  for (std::size_t id = 1; id <= kPeople; ++id) write_person(json, random, static_cast<std::int64_t>(id));
  json.end_array();
  json.key("text");
  constexpr std::size_t kFrame = 3;  // the text's quotes, and the last brace
  std::string text;
  while (json.size() + text.size() + kFrame < kSampleBytes) text.append(random.word()).append(1, ' ');
  text.resize(kSampleBytes - json.size() - kFrame);
  json.string(text);
  json.end_object();
  return json.take();
}

std::string posts_document() {
  constexpr int kCount = 100;
  Random random(631);
  json::Writer json(json::Escape::none);
  json.begin_object();
  json.key("statuses");
  json.begin_array();
  for (int i = 0; i < kCount; ++i) {
    json.begin_object();
    json.key("id");
    json.raw(std::to_string(505'874'924'095'815'681U + random.below(1'000'000'000)));
    json.key("text");
    json.string(kPosts[static_cast<std::size_t>(i) % kPosts.size()]);
    json.key("user");
    write_user(json, random);
    json.key("geo");
    json.null();
    decimal(json, "score", static_cast<double>(random.below(1'000'000'000)) / 7);
    json.key("favorited");
    json.boolean(false);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

}  // namespace tessera::loadtest
