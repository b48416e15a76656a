#include <gtest/gtest.h>

#include "json/encode.h"
#include "loadtest/encoding/documents.h"
#include "loadtest/encoding/run.h"

namespace tessera::loadtest {
namespace {

TEST(LoadtestEncoding, AllWaysGiveTheSameDocuments) {
  EXPECT_EQ(run_encode({.file = {}, .rounds = 1, .slice_ms = 1}), 0);
}

TEST(LoadtestEncoding, MakesTheSameTweetsEveryTime) {
  const std::string document = json::encode(tweets(), {.escape = json::Escape::none}).value();
  EXPECT_NEAR(static_cast<double>(document.size()), 630'000, 10'000);
  EXPECT_EQ(document, json::encode(tweets(), {.escape = json::Escape::none}).value());
  EXPECT_NE(document.find("<a href"), std::string::npos);
}

TEST(LoadtestEncoding, ReadsADocumentBack) {
  const std::string document = R"({"a":[1,-2,18446744073709551615,0.5,"\u003c",null,true,{}],"a":[]})";
  EXPECT_EQ(json::encode(parse(document)).value(), document);
  json::KeyTable keys;
  EXPECT_EQ(json::encode(intern(parse(document), keys)).value(), document);
}

}  // namespace
}  // namespace tessera::loadtest
