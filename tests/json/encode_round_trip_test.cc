// What json::encode writes, read again by RapidJSON's parser.
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "json/encode.h"

namespace tessera::json {
namespace {

struct Json {
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Json>,
               std::map<std::string, Json>>
      data;
};

const auto& as_json(const Json& value) {
  return value.data;
}

std::string random_text(std::mt19937_64& random) {
  const std::vector<std::string> pieces = {"a",
                                           "<",
                                           "&",
                                           "\"",
                                           "\\",
                                           "\n",
                                           std::string(1, '\0'),
                                           "\u2028",
                                           "\u20ac",
                                           "\U0001F600",
                                           "\u00e9",
                                           "some plain words"};
  std::string text;
  for (auto left = random() % 8; left > 0; --left) text += pieces[random() % pieces.size()];
  return text;
}

double random_double(std::mt19937_64& random) {
  const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
  return std::isfinite(value) ? value : 0.5;
}

Json random_json(std::mt19937_64& random, int depth) {
  switch (random() % (depth == 0 ? 6 : 8)) {
    case 0:
      return {nullptr};
    case 1:
      return {random() % 2 == 0};
    case 2:
      return {static_cast<std::int64_t>(random()) >> random() % 64};
    case 3:
      return {static_cast<std::uint64_t>(random()) >> random() % 64};
    case 4:
      return {random_double(random)};
    case 5:
      return {random_text(random)};
    case 6: {
      std::vector<Json> elements;
      for (auto left = random() % 5; left > 0; --left) elements.push_back(random_json(random, depth - 1));
      return {std::move(elements)};
    }
    default: {
      std::map<std::string, Json> members;
      for (auto left = random() % 5; left > 0; --left) {
        members.emplace(random_text(random), random_json(random, depth - 1));
      }
      return {std::move(members)};
    }
  }
}

std::string_view text_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

bool same(const Json& json, const rapidjson::Value& read);

struct Same {
  const rapidjson::Value& read;

  bool operator()(std::nullptr_t) const { return read.IsNull(); }
  bool operator()(bool value) const { return read.IsBool() && read.GetBool() == value; }
  bool operator()(std::int64_t value) const { return read.IsInt64() && read.GetInt64() == value; }
  bool operator()(std::uint64_t value) const { return read.IsUint64() && read.GetUint64() == value; }
  bool operator()(double value) const {  // and not an integer
    return read.IsDouble() &&
           std::bit_cast<std::uint64_t>(read.GetDouble()) == std::bit_cast<std::uint64_t>(value);
  }
  bool operator()(const std::string& value) const { return read.IsString() && text_of(read) == value; }
  bool operator()(const std::vector<Json>& elements) const {
    if (!read.IsArray() || read.Size() != elements.size()) return false;
    for (rapidjson::SizeType i = 0; i < read.Size(); ++i) {
      if (!same(elements[i], read[i])) return false;
    }
    return true;
  }
  bool operator()(const std::map<std::string, Json>& members) const {
    if (!read.IsObject() || read.MemberCount() != members.size()) return false;
    auto member = read.MemberBegin();
    for (const auto& [name, value] : members) {
      if (text_of(member->name) != name || !same(value, member->value)) return false;
      ++member;
    }
    return true;
  }
};

bool same(const Json& json, const rapidjson::Value& read) {
  return std::visit(Same{read}, json.data);
}

TEST(JsonEncodeRoundTrip, ReadsBackEqual) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2'000; ++round) {
    const Json value = random_json(random, 5);
    for (const Escape mode : {Escape::none, Escape::js, Escape::html}) {
      const std::string text = encode(value, {.escape = mode}).value();
      rapidjson::Document read;
      read.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag>(text.data(),
                                                                                             text.size());
      ASSERT_FALSE(read.HasParseError()) << text;
      ASSERT_TRUE(same(value, read)) << text;
      if (mode == Escape::html) {
        ASSERT_EQ(text.find_first_of("<>&"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::json
