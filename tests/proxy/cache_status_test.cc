#include "proxy/cache_status.h"

#include <limits>

#include <gtest/gtest.h>

namespace tessera::proxy {
namespace {

using Forward = CacheStatus::Forward;

CacheStatus with_counts(Forward forward) {
  CacheStatus status;
  status.forward = forward;
  status.has_counts = true;
  status.from_snapshot = 998;
  status.from_memory = 1;
  status.from_origin = 1;
  return status;
}

TEST(CacheStatus, SaysHit) {
  EXPECT_EQ(to_string(CacheStatus{}), "tessera; hit");
}

TEST(CacheStatus, SaysHitWithCounts) {
  EXPECT_EQ(to_string(with_counts(Forward::none)),
            R"(tessera; hit; detail="snapshot=998 l1=1 l2=0 origin=1")");
}

TEST(CacheStatus, SaysWhatWasForwardedAndStored) {
  auto status = with_counts(Forward::stale);
  status.stored = true;
  EXPECT_EQ(to_string(status), R"(tessera; fwd=stale; stored; detail="snapshot=998 l1=1 l2=0 origin=1")");
}

TEST(CacheStatus, SaysThatAFetchWasShared) {
  CacheStatus status;
  status.forward = Forward::stale;
  status.collapsed = true;
  EXPECT_EQ(to_string(status), "tessera; fwd=stale; collapsed");
}

TEST(CacheStatus, SaysMissWithStatusStoredAndCollapsed) {
  CacheStatus status;
  status.forward = Forward::uri_miss;
  status.forward_status = 200;
  status.stored = true;
  status.collapsed = true;
  EXPECT_EQ(to_string(status), "tessera; fwd=uri-miss; fwd-status=200; stored; collapsed");
}

TEST(CacheStatus, NamesTheReasonForPassing) {
  CacheStatus status;
  status.forward = Forward::bypass;
  status.reason = Reason::not_a_manifest;
  EXPECT_EQ(to_string(status), "tessera; fwd=bypass; detail=not-a-manifest");
  status.forward_status = 404;
  EXPECT_EQ(to_string(status), "tessera; fwd=bypass; fwd-status=404; detail=not-a-manifest");
}

TEST(CacheStatus, DoesNotNameTheMethodTwice) {
  CacheStatus status;
  status.forward = Forward::method;
  status.reason = Reason::method;
  EXPECT_EQ(to_string(status), "tessera; fwd=method");
  status.reason = Reason::no_route;
  EXPECT_EQ(to_string(status), "tessera; fwd=method; detail=no-route");
}

TEST(CacheStatus, SaysStaleIfError) {
  CacheStatus status;
  status.ttl = -12;
  status.stale_if_error = true;
  EXPECT_EQ(to_string(status), "tessera; hit; ttl=-12; detail=stale-if-error");
}

TEST(CacheStatus, HasOneDetailForEverything) {
  auto status = with_counts(Forward::bypass);
  status.reason = Reason::record_missing;
  EXPECT_EQ(to_string(status),
            R"(tessera; fwd=bypass; detail="record-missing snapshot=998 l1=1 l2=0 origin=1")");
}

TEST(CacheStatus, SaysOfAHitNothingThatSpeaksOfForwarding) {
  CacheStatus status;
  status.collapsed = true;
  status.stored = true;
  status.forward_status = 304;
  EXPECT_EQ(to_string(status), "tessera; hit");
}

TEST(CacheStatus, KeepsIntegersWithinStructuredFields) {
  CacheStatus status;
  status.ttl = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(to_string(status), "tessera; hit; ttl=999999999999999");
  status.ttl = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(to_string(status), "tessera; hit; ttl=-999999999999999");
}

TEST(CacheStatus, StandsBehindThoseNearerToTheOrigin) {
  http::Fields fields;
  add_cache_status(fields, CacheStatus{});
  EXPECT_EQ(fields.get("Cache-Status"), "tessera; hit");

  http::Fields chained;
  chained.add("Cache-Status", "inner; fwd=uri-miss");
  chained.add("cache-status", R"("CDN, Inc."; hit)");
  add_cache_status(chained, CacheStatus{});
  EXPECT_EQ(chained.count("Cache-Status"), 1u);
  EXPECT_EQ(chained.get("Cache-Status"), R"(inner; fwd=uri-miss, "CDN, Inc."; hit, tessera; hit)");
}

}  // namespace
}  // namespace tessera::proxy
