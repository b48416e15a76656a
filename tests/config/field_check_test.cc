#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/validation.h"
#include "tests/config/faults.h"

namespace tessera::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRoute = "[[route]]\nname = \"a\"\npath = \"/a\"\n";

TEST(FieldCheck, NamesTheRangeAndTheLineOfANumberOutOfIt) {
  EXPECT_THAT(faults_of(kRoute + "verify = 1.5\n"),
              ElementsAre("test.toml:4: route \"a\": verify = 1.5 is out of range; allowed is 0.0 to 1.0"));
  EXPECT_THAT(faults_of(kRoute + "verify = nan\n"), ElementsAre(HasSubstr("is out of range")));
  EXPECT_THAT(
      faults_of("[memory]\nl1 = 256\n"),
      ElementsAre("test.toml:2: memory.l1 = 256 is out of range; allowed is 0, or \"1MiB\" to \"1TiB\""));
  EXPECT_THAT(faults_of("[redis]\nttl = \"0s\"\n"), ElementsAre(HasSubstr("allowed is \"1s\" to \"365d\"")));
  EXPECT_THAT(faults_of("[limits]\nwhole_percent = 101\n"), ElementsAre(HasSubstr("allowed is 1 to 100")));
}

TEST(FieldCheck, NamesTheWordsThatAreAllowed) {
  EXPECT_THAT(
      faults_of("[log]\nlevel = \"verbose\"\n"),
      ElementsAre(
          "test.toml:2: log.level = \"verbose\" is not among \"trace\", \"debug\", \"info\", \"warn\", "
          "\"error\", \"off\""));
  EXPECT_THAT(faults_of(kRoute + "records_audience = \"public\"\n"),
              ElementsAre(HasSubstr("\"private\", \"shared\"")));
}

TEST(FieldCheck, WantsNameAndPathOfARoute) {
  EXPECT_THAT(faults_of("[[route]]\nverify = 0.5\n"),
              ElementsAre(HasSubstr("test.toml:1: route 1: name = \"\" may not be empty"),
                          HasSubstr("test.toml:1: route 1: path = \"\" may not be empty")));
}

TEST(FieldCheck, ChecksPointersPathsAndListElements) {
  EXPECT_THAT(faults_of(kRoute + "array = \"data\"\n"),
              ElementsAre(HasSubstr("test.toml:4: route \"a\": array = \"data\" is no JSON Pointer")));
  EXPECT_THAT(faults_of(kRoute + "array = \"\"\nversion = \"\"\nincluded = \"\"\n"), IsEmpty());
  EXPECT_THAT(faults_of(kRoute + "id = \"\"\n"), ElementsAre(HasSubstr("may not be empty")));
  EXPECT_THAT(faults_of("[[route]]\nname = \"a\"\npath = \"a\"\n"),
              ElementsAre(HasSubstr("test.toml:3: route \"a\": path = \"a\" must start")));
  EXPECT_THAT(faults_of(kRoute + "list_params = [\"page\", \"ids\"]\n"),
              ElementsAre(HasSubstr("list_params = \"ids\" may not be listed")));
  EXPECT_THAT(faults_of(kRoute + "credentials = [\"token\", \"cookie:sid\"]\n"),
              ElementsAre(HasSubstr("credentials = \"token\" is none")));
  EXPECT_THAT(faults_of(kRoute + "vary = [\"\"]\n"), ElementsAre(HasSubstr("may not hold an empty text")));
  EXPECT_THAT(faults_of(kRoute + "types = { a = \"\" }\n"),
              ElementsAre(HasSubstr("may not hold an empty text")));
}

TEST(FieldCheck, RefusesControlCharactersInEveryText) {
  EXPECT_THAT(faults_of("[admin]\ntoken = \"a\\r\\nb\"\n"),
              ElementsAre("test.toml:2: admin.token = \"***\" holds a control character"));
  EXPECT_THAT(faults_of(kRoute + "epoch = \"\\u0000\"\n"),
              ElementsAre(HasSubstr("holds a control character")));
}

}  // namespace
}  // namespace tessera::config
