#include "http/cores.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary.h"

namespace tessera::http {
namespace {

class Cores : public ::testing::Test {
 protected:
  // The quota of a group; "": of the root, which only a container's has.
  void set(const std::string& group, const std::string& maximum) {
    std::filesystem::create_directories(directory_.file("groups/" + group));
    directory_.write("groups/" + group + "/cpu.max", maximum);
  }
  std::size_t quota(const std::string& own) {
    return cpu_quota(directory_.file("groups"), directory_.write("own", own));
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Cores, AreThoseOfTheOwnGroupsQuotaRoundedUp) {
  set("a.slice/b.service", "150000 100000\n");
  EXPECT_EQ(quota("4:memory:/x\n0::/a.slice/b.service\n"), 2u);
  set("a.slice/b.service", "50000 100000\n");
  EXPECT_EQ(quota("0::/a.slice/b.service\n"), 1u);
}

TEST_F(Cores, AreTheFewestOfTheGroupsAbove) {
  set("a.slice/b.service", "400000 100000\n");
  set("a.slice", "300000 100000\n");
  EXPECT_EQ(quota("0::/a.slice/b.service\n"), 3u);
  set("", "100000 100000\n");
  EXPECT_EQ(quota("0::/a.slice/b.service\n"), 1u);
}

TEST_F(Cores, AreThoseOfTheContainerWhosePathIsTheHosts) {
  set("", "200000 100000\n");
  EXPECT_EQ(quota("0::/docker/0123456789ab\n"), 2u);
  EXPECT_EQ(quota("0::/\n"), 2u);
}

TEST_F(Cores, AreNotLimitedWithoutAQuota) {
  EXPECT_EQ(quota("0::/\n"), 0u);
  set("", "max 100000\n");
  EXPECT_EQ(quota("0::/\n"), 0u);
  set("", "nonsense");
  EXPECT_EQ(quota(""), 0u);
  set("", "-5 0\n");
  EXPECT_EQ(quota("0::/a/b\n"), 0u);
}

TEST_F(Cores, AreAtLeastOne) {
  EXPECT_GE(available_cores(), 1u);
}

}  // namespace
}  // namespace tessera::http
