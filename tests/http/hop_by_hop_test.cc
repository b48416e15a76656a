#include "http/hop_by_hop.h"

#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::http {
namespace {

using ::testing::ElementsAre;

Fields fields_of(std::initializer_list<Field> lines) {
  Fields fields;
  for (const auto& line : lines) EXPECT_TRUE(fields.add(line.name, line.value));
  return fields;
}

std::vector<std::string> lines_of(const Fields& fields) {
  std::vector<std::string> lines;
  for (const auto& line : fields) lines.push_back(line.name + ": " + line.value);
  return lines;
}

TEST(RemoveHopByHop, RemovesTheFixedListInAnyCase) {
  auto fields = fields_of({{"Connection", "close"},
                           {"keep-alive", "timeout=5"},
                           {"Proxy-Connection", "keep-alive"},
                           {"Proxy-Authenticate", "Basic"},
                           {"Proxy-Authorization", "Basic eDp5"},
                           {"Proxy-Authentication-Info", "x"},
                           {"TE", "trailers"},
                           {"Trailer", "X-Sum"},
                           {"TRANSFER-ENCODING", "chunked"},
                           {"Upgrade", "websocket"},
                           {"HTTP2-Settings", "AAMAAABk"},
                           {"Expect", "100-continue"},
                           {"Content-Length", "5"},
                           {"Accept", "*/*"},
                           {"Tee", "x"}});
  remove_hop_by_hop(fields);
  EXPECT_THAT(lines_of(fields), ElementsAre("Accept: */*", "Tee: x"));
}

TEST(RemoveHopByHop, RemovesWhatConnectionNames) {
  auto fields = fields_of({{"X-Foo", "1"},
                           {"Connection", "close, x-foo"},
                           {"X-Bar", "2"},
                           {"connection", " X-BAR ,, keep-alive"},
                           {"x-bar", "3"},
                           {"X-Kept", "4"}});
  remove_hop_by_hop(fields);
  EXPECT_THAT(lines_of(fields), ElementsAre("X-Kept: 4"));
}

TEST(RemoveHopByHop, KeepsFieldsThatConnectionMustNotName) {
  for (const std::string name : {"Host",
                                 "Authorization",
                                 "Cookie",
                                 "Set-Cookie",
                                 "Cache-Control",
                                 "Content-Type",
                                 "content-encoding",
                                 "Forwarded",
                                 "X-Forwarded-For",
                                 "x-forwarded-proto",
                                 "X-Forwarded-Anything",
                                 "X-Real-IP",
                                 "Via",
                                 "Origin",
                                 "Referer",
                                 "Accept",
                                 "Accept-Language",
                                 "If-None-Match",
                                 "Range",
                                 "Vary",
                                 "ETag",
                                 "User-Agent",
                                 "Access-Control-Allow-Origin"}) {
    auto fields = fields_of({{name, "value"}, {"Connection", "close, " + name}});
    remove_hop_by_hop(fields);
    EXPECT_THAT(lines_of(fields), ElementsAre(name + ": value"));
  }
}

TEST(RemoveHopByHop, ReadsAVeryLongConnectionFieldInNoTime) {
  std::string nominations;
  Fields fields;
  for (int i = 0; i < 20'000; ++i) {
    nominations += "x" + std::to_string(i) + ",";
    fields.add("x" + std::to_string(i * 2), "v");
  }
  fields.add("Connection", nominations);
  fields.add("Last", "v");
  remove_hop_by_hop(fields);
  EXPECT_EQ(fields.size(), 10'001u);
  EXPECT_TRUE(fields.has("Last"));
  EXPECT_FALSE(fields.has("x0"));
  EXPECT_TRUE(fields.has("x39998"));
}

}  // namespace
}  // namespace tessera::http
