#include "proxy/request_id.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

constexpr std::string_view kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(RequestIds, MakesNamesThatDifferAndFitIntoAString) {
  RequestIds one;
  RequestIds other;
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    for (auto* ids : {&one, &other}) {
      const auto id = ids->next();
      EXPECT_EQ(id.size(), 15u);
      EXPECT_EQ(id.capacity(), std::string().capacity());
      EXPECT_TRUE(is_request_id(id)) << id;
      EXPECT_TRUE(seen.insert(id).second) << id;
    }
  }
}

TEST(RequestIds, TakesOverWhatNeedsNoEscaping) {
  for (const std::string text : {"a", "A-b_c.9", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736"}) {
    EXPECT_TRUE(is_request_id(text));
  }
  EXPECT_TRUE(is_request_id(std::string(128, 'x')));
  for (const std::string text : {"", "a b", "a\"b", "a\nb", "a,b", "<a>", "\xC3\xA9", "a/b"}) {
    EXPECT_FALSE(is_request_id(text)) << text;
  }
  EXPECT_FALSE(is_request_id(std::string(129, 'x')));
}

http::Fields traced(std::string_view parent) {
  http::Fields fields;
  fields.add("traceparent", parent);
  fields.add("tracestate", "vendor=1");
  return fields;
}

TEST(ContinueTrace, KeepsTheTraceAndNamesItsOwnSpan) {
  RequestIds ids;
  auto fields = traced(kTrace);
  continue_trace(fields, ids, false);
  const std::string own(fields.get("traceparent").value());
  EXPECT_EQ(own.size(), kTrace.size());
  EXPECT_EQ(own.substr(0, 36), kTrace.substr(0, 36));
  EXPECT_NE(own.substr(36, 16), kTrace.substr(36, 16));
  EXPECT_EQ(own.substr(52), "-01");
  EXPECT_EQ(fields.get("tracestate"), "vendor=1");
}

TEST(ContinueTrace, ReadsALaterVersion) {
  RequestIds ids;
  auto fields = traced("cc" + std::string(kTrace.substr(2)) + "-more");
  continue_trace(fields, ids, false);
  EXPECT_EQ(fields.get("traceparent")->substr(0, 36), kTrace.substr(0, 36));
  EXPECT_EQ(fields.get("traceparent")->size(), kTrace.size());
}

TEST(ContinueTrace, DropsAnInvalidOneWithItsState) {
  const std::string whole(kTrace);
  for (const std::string& bad :
       {std::string(), whole.substr(1), "ff" + whole.substr(2), whole + "-more", whole + "0",
        "00-" + std::string(32, '0') + whole.substr(35), whole.substr(0, 36) + std::string(16, '0') + "-01",
        std::string("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"), whole.substr(0, 53) + "0g"}) {
    RequestIds ids;
    auto fields = traced(bad);
    continue_trace(fields, ids, false);
    EXPECT_TRUE(fields.empty()) << bad;
  }
  RequestIds ids;
  auto twice = traced(kTrace);
  twice.add("traceparent", kTrace);
  continue_trace(twice, ids, false);
  EXPECT_TRUE(twice.empty());
}

TEST(ContinueTrace, BeginsOneWhenTold) {
  RequestIds ids;
  http::Fields none;
  continue_trace(none, ids, false);
  EXPECT_TRUE(none.empty());
  continue_trace(none, ids, true);
  const std::string begun(none.get("traceparent").value());
  EXPECT_EQ(begun.substr(52), "-00");
  continue_trace(none, ids, false);
  EXPECT_EQ(none.get("traceparent")->substr(0, 36), begun.substr(0, 36));
}

}  // namespace
}  // namespace tessera::proxy
