#include "loadtest/encoding/documents.h"

#include <array>
#include <random>

#include "json/bench_document.h"

namespace tessera::loadtest {
namespace {

using Random = std::mt19937_64;  // its numbers are fixed by the standard; distributions are not
using Object = Members<std::string>;

std::int64_t below(Random& random, std::uint64_t bound) {
  return static_cast<std::int64_t>(random() % bound);
}

void append_character(std::string& text, char32_t c) {  // U+0800 to U+FFFF
  text += static_cast<char>(0xE0U | (c >> 12U));
  text += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
  text += static_cast<char>(0x80U | (c & 0x3FU));
}

// Kana with a kanji now and then.
std::string japanese(Random& random, std::int64_t characters) {
  std::string text;
  for (; characters > 0; --characters) {
    const auto kind = below(random, 10);
    if (kind < 6) {
      append_character(text, static_cast<char32_t>(0x3042 + below(random, 80)));
    } else if (kind < 8) {
      append_character(text, static_cast<char32_t>(0x30A2 + below(random, 80)));
    } else {
      append_character(text, static_cast<char32_t>(0x4E00 + below(random, 0x4000)));
    }
  }
  return text;
}

std::string identifier(Random& random, std::int64_t length) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::string text;
  for (; length > 0; --length) text += kLetters[random() % kLetters.size()];
  return text;
}

std::string link(Random& random) {
  return "http://t.example/" + identifier(random, 10);
}

std::string text_of(Random& random) {
  constexpr std::array<std::string_view, 6> kExtras = {
      "\U0001F600", " #\u6771\u4EAC & #\u5927\u962A", "\n", " <3 ", "\U0001F363\U0001F37A", " \"...\" "};
  std::string text = "@" + identifier(random, 6 + below(random, 9)) + " ";
  for (auto left = 1 + below(random, 4); left > 0; --left) {
    text += japanese(random, 10 + below(random, 26));
    text += kExtras[random() % kExtras.size()];
  }
  if (below(random, 3) == 0) text += "RT if you agree & see ";
  return text + link(random);
}

std::string date(Random& random) {
  return "Sun Aug 31 00:" + std::to_string(10 + below(random, 50)) + ":" +
         std::to_string(10 + below(random, 50)) + " +0000 2014";
}

Tree user(Random& random) {
  constexpr std::int64_t kColors = 0xFFFFFF;
  const std::string name = identifier(random, 8);
  const std::string image =
      "http://pbs.example/profile_images/" + std::to_string(below(random, 1'000'000'000));
  const auto id = below(random, 3'000'000'000);
  Object user;
  const auto add = [&user](const char* key, auto value) { user.emplace_back(key, Tree{std::move(value)}); };
  add("id", id);
  add("id_str", std::to_string(id));
  add("name", japanese(random, 4 + below(random, 8)) + "\u2606");
  add("screen_name", name);
  add("location", below(random, 2) == 0 ? std::string() : japanese(random, 5));
  add("description", japanese(random, 30 + below(random, 70)) + "/" + japanese(random, 20) + " & more");
  add("url", nullptr);
  add("protected", false);
  add("followers_count", below(random, 5'000));
  add("friends_count", below(random, 2'000));
  add("listed_count", below(random, 40));
  add("created_at", date(random));
  add("favourites_count", below(random, 9'000));
  add("utc_offset", nullptr);
  add("geo_enabled", below(random, 3) == 0);
  add("verified", false);
  add("statuses_count", below(random, 90'000));
  add("lang", std::string("ja"));
  add("profile_background_color", std::to_string(below(random, kColors)));
  add("profile_background_image_url", image + "/theme1/bg.png");
  add("profile_background_image_url_https", "https" + image.substr(4) + "/theme1/bg.png");
  add("profile_image_url", image + "/" + name + "_normal.jpeg");
  add("profile_link_color", std::to_string(below(random, kColors)));
  add("profile_sidebar_border_color", std::to_string(below(random, kColors)));
  add("profile_use_background_image", true);
  add("default_profile", below(random, 2) == 0);
  add("following", false);
  return {std::move(user)};
}

Tree entities(Random& random) {
  Tree::Elements mentions;
  for (auto left = below(random, 3); left > 0; --left) {
    Tree::Elements indices = {Tree{std::int64_t{0}}, Tree{3 + below(random, 12)}};
    Object mention;
    mention.emplace_back("screen_name", Tree{identifier(random, 10)});
    mention.emplace_back("name", Tree{japanese(random, 6)});
    mention.emplace_back("indices", Tree{std::move(indices)});
    mentions.push_back({std::move(mention)});
  }
  Object entities;
  entities.emplace_back("hashtags", Tree{Tree::Elements{}});
  entities.emplace_back("urls", Tree{Tree::Elements{}});
  entities.emplace_back("user_mentions", Tree{std::move(mentions)});
  return {std::move(entities)};
}

Tree tweet(Random& random) {
  constexpr std::int64_t kFirstId = 505'874'847'260'352'513;
  const std::int64_t id = kFirstId + below(random, 100'000'000'000);
  Object tweet;
  const auto add = [&tweet](const char* key, auto value) { tweet.emplace_back(key, Tree{std::move(value)}); };
  add("created_at", date(random));
  add("id", id);
  add("id_str", std::to_string(id));
  add("text", text_of(random));
  add("source", std::string(R"(<a href="http://t.example/download/phone" rel="nofollow">T for phones</a>)"));
  add("truncated", false);
  add("in_reply_to_status_id", nullptr);
  tweet.emplace_back("user", user(random));
  add("geo", nullptr);
  add("retweet_count", below(random, 300));
  add("favorite_count", below(random, 300));
  tweet.emplace_back("entities", entities(random));
  add("favorited", false);
  add("score", static_cast<double>(below(random, 1'000)) / 1'000);
  add("lang", std::string("ja"));
  return {std::move(tweet)};
}

void mark_up(Tree& value) {
  if (auto* text = std::get_if<std::string>(&value.data)) {
    if (text->size() > 20) *text = "<p>" + *text + " &c.</p>";
  } else if (auto* elements = std::get_if<Tree::Elements>(&value.data)) {
    for (Tree& element : *elements) mark_up(element);
  } else if (auto* members = std::get_if<Object>(&value.data)) {
    for (auto& [name, member] : *members) mark_up(member);
  }
}

}  // namespace

Tree tweets() {
  constexpr int kTweets = 345;
  Random random(1);
  Tree::Elements statuses;
  for (int i = 0; i < kTweets; ++i) statuses.push_back(tweet(random));
  Object document;
  document.emplace_back("statuses", Tree{std::move(statuses)});
  return {std::move(document)};
}

Tree courses() {
  return parse(json::bench_document().collection);
}

Tree marked_up_courses() {
  Tree document = courses();
  mark_up(document);
  return document;
}

}  // namespace tessera::loadtest
