#include "proxy/link_field.h"

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

struct Row {
  std::string_view value;
  std::string_view rewritten;
};

TEST(RewriteLinks, NamesTheOtherResourceForTheOne) {
  const Row rows[] = {
      {"", ""},
      {R"(</courses/manifest>; rel="self")", R"(</courses/jbuilder>; rel="self")"},
      {R"(</courses/manifest?page=2>; rel="next")", R"(</courses/jbuilder?page=2>; rel="next")"},
      {R"(</courses/manifest?a=1,2&b=[x]>;rel=next, </courses/manifest>;rel=first)",
       R"(</courses/jbuilder?a=1,2&b=[x]>;rel=next, </courses/jbuilder>;rel=first)"},
      {"<http://a.example/courses/manifest?page=2#x>; rel=next",
       "<http://a.example/courses/jbuilder?page=2#x>; rel=next"},
      {"<https://a.example:8443/courses/manifest>", "<https://a.example:8443/courses/jbuilder>"},
      {"<//a.example/courses/manifest?x>", "<//a.example/courses/jbuilder?x>"},
      {"<manifest?page=2>; rel=next", "</courses/jbuilder?page=2>; rel=next"},
      {"<./manifest>", "</courses/jbuilder>"},
      {"<../courses/manifest>", "</courses/jbuilder>"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(rewrite_links(row.value, "/courses/manifest", "/courses/jbuilder"), row.rewritten);
}

TEST(RewriteLinks, KeepsTargetsThatMeanTheSameThere) {
  for (const std::string_view value :
       {"<?page=2>; rel=next", "<>; rel=self", "<#x>", "</courses>; rel=up", "</courses/manifest/x>",
        "</courses/manifests>", "</Courses/manifest>", "<https://other.example/x?u=/courses/manifest>",
        "<http://a.example>", "<http://a.example?x>", "<mailto:a@b.example>", "<urn:isbn:123>",
        "<ftp://a.example/courses/manifest>", "<http:>", "</courses/%6Danifest>"}) {
    EXPECT_EQ(rewrite_links(value, "/courses/manifest", "/courses/jbuilder"), value);
  }
}

TEST(RewriteLinks, WritesRelativePathsOut) {
  const Row rows[] = {
      {"<x>", "</m/x>"},   {"<x/y?z>", "</m/x/y?z>"}, {"<../x>", "</x>"},   {"<.>", "</m/>"},
      {"<..>", "</>"},     {"<../../../x>", "</x>"},  {"<x/.>", "</m/x/>"}, {"<x/..>", "</m/>"},
      {"<x/>", "</m/x/>"}, {"<x//y>", "</m/x//y>"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(rewrite_links(row.value, "/m/courses", "/courses"), row.rewritten) << row.value;
}

TEST(RewriteLinks, ReadsNoTargetWithinQuotes) {
  const std::string_view value = R"(</x>; title="a \" <manifest> , </courses/manifest>"; rel=next)";
  EXPECT_EQ(rewrite_links(value, "/courses/manifest", "/courses/jbuilder"), value);
}

TEST(RewriteLinks, KeepsWhatItCannotRead) {
  for (const std::string_view value :
       {"<", "</courses/manifest", "garbage", "\"", "\"\\", ">", "rel=next; x"}) {
    EXPECT_EQ(rewrite_links(value, "/courses/manifest", "/courses/jbuilder"), value);
  }
}

}  // namespace
}  // namespace tessera::proxy
