#include "proxy/statistics.h"

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>

#include "config/version.h"
#include "proxy/admin.h"

namespace tessera::proxy {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::Not;

class StatisticsReport : public testing::Test {
 protected:
  StatisticsReport() { sources_.statistics = &statistics_; }

  RouteStatistics& courses() { return statistics_.route(0); }

  // The number at a JSON Pointer of /stats; -1 when there is none.
  double number(const char* pointer) {
    document_.Parse(statistics_json(sources_).c_str());
    const auto* value = rapidjson::Pointer(pointer).Get(document_);
    return value && value->IsNumber() ? value->GetDouble() : -1;
  }

  // The samples of /metrics; a sample that is no "name{labels} number" fails the test.
  std::map<std::string, double> samples() {
    std::map<std::string, double> found;
    std::istringstream lines(statistics_prometheus(sources_));
    std::set<std::string> families;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("# TYPE ")) {
        EXPECT_TRUE(families.insert(line.substr(7, line.find(' ', 7) - 7)).second) << line;
      }
      if (line.starts_with('#')) continue;
      const auto blank = line.rfind(' ');
      const auto key = line.substr(0, blank);
      char* end = nullptr;
      const double value = std::strtod(line.c_str() + blank + 1, &end);
      EXPECT_TRUE(blank != std::string::npos && *end == '\0') << line;
      auto family = key.substr(0, key.find('{'));
      for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
        if (family.starts_with("tessera_latency_seconds") && family.ends_with(suffix))
          family.resize(family.size() - suffix.size());
      }
      EXPECT_TRUE(families.contains(family)) << "no TYPE before " << line;
      EXPECT_TRUE(found.emplace(key, value).second) << "twice: " << line;
    }
    return found;
  }

  Statistics statistics_{{"courses"}};
  StatisticsSources sources_;
  rapidjson::Document document_;
};

TEST_F(StatisticsReport, IsAllZeroesAndNoNanAtFirst) {
  const auto json = statistics_json(sources_);
  document_.Parse(json.c_str());
  EXPECT_FALSE(document_.HasParseError());
  EXPECT_THAT(json, Not(HasSubstr("nan")));
  EXPECT_EQ(number("/totals/responses/hit_ratio"), 0);
  EXPECT_EQ(number("/totals/records/hit_ratio"), 0);
  EXPECT_EQ(number("/routes/courses/latency/cached/p99_us"), 0);
  EXPECT_EQ(number("/routes/(pass)/passed/total"), 0);
  EXPECT_STREQ(document_["version"].GetString(), std::string(config::kVersion).c_str());
  EXPECT_FALSE(document_["redis"]["enabled"].GetBool());
  EXPECT_THAT(statistics_prometheus(sources_), Not(HasSubstr("nan")));
}

TEST_F(StatisticsReport, TellsHitRatiosOfResponsesAndRecords) {
  count(courses().requests, 4);
  count(courses().outcomes[static_cast<std::size_t>(Outcome::hit)], 3);
  count(courses().outcomes[static_cast<std::size_t>(Outcome::fill)]);
  count(courses().records_snapshot, 900);
  count(courses().records_memory, 60);
  count(courses().records_remote, 30);
  count(courses().records_origin, 10);
  EXPECT_EQ(number("/routes/courses/requests"), 4);
  EXPECT_EQ(number("/routes/courses/responses/hit_ratio"), 0.75);
  EXPECT_EQ(number("/routes/courses/records/lookups"), 1'000);
  EXPECT_EQ(number("/routes/courses/records/hit_ratio"), 0.99);
  const auto metrics = samples();
  EXPECT_EQ(metrics.at("tessera_responses_total{route=\"courses\",result=\"hit\"}"), 3);
  EXPECT_EQ(metrics.at("tessera_record_lookups_total{route=\"courses\",tier=\"redis\"}"), 30);
}

TEST_F(StatisticsReport, AddsUpEveryCounterOverTheRoutes) {
  for (std::size_t i = 0; i < 2; ++i) {
    auto& route = statistics_.route(i);
    count(route.origin_manifest, 1);
    count(route.origin_check, 2);
    count(route.origin_records, 3);
    count(route.origin_collection, 4);
    count(route.origin_verify, 5);
    count(route.origin_pass, 6);
    count(route.origin_manifest_304, 7);
    count(route.bytes_cache, 8);
    count(route.bytes_origin, 9);
    count(route.bytes_sent, 10);
    count(route.coalesced_manifests, 11);
    count(route.coalesced_assemblies, 12);
    count(route.coalesced_records, 13);
    count(route.not_modified, 14);
    count(route.stored_fragments, 15);
    count(route.version_missing, 16);
    count(route.racy, 17);
    count(route.corrupt_values, 18);
    count(route.purged_in_flight, 19);
    count(route.verified, 20);
    count(route.mismatches, 21);
    count(route.status_classes[2], 22);
    route.uncached_latency.record(microseconds(100));
  }
  const std::map<std::string, int> expected{{"origin_requests/manifest", 1},
                                            {"origin_requests/check", 2},
                                            {"origin_requests/records", 3},
                                            {"origin_requests/collection", 4},
                                            {"origin_requests/verify", 5},
                                            {"origin_requests/pass", 6},
                                            {"origin_requests/total", 21},
                                            {"origin_requests/manifest_not_modified", 7},
                                            {"bytes/from_cache", 8},
                                            {"bytes/from_origin", 9},
                                            {"bytes/sent", 10},
                                            {"coalesced/manifests", 11},
                                            {"coalesced/assemblies", 12},
                                            {"coalesced/records", 13},
                                            {"responses/not_modified", 14},
                                            {"records/stored", 15},
                                            {"records/version_missing", 16},
                                            {"records/racy", 17},
                                            {"records/corrupt", 18},
                                            {"records/purged_in_flight", 19},
                                            {"verify/equal", 20},
                                            {"verify/mismatches", 21},
                                            {"responses/status/2xx", 22},
                                            {"latency/uncached/count", 1}};
  for (const auto& [member, value] : expected) {
    EXPECT_EQ(number(("/routes/courses/" + member).c_str()), value) << member;
    EXPECT_EQ(number(("/totals/" + member).c_str()), 2 * value) << member;
  }
}

TEST_F(StatisticsReport, NamesTheReasonsThatOccurredAndTheirSum) {
  count(courses().passed[static_cast<std::size_t>(Reason::not_a_manifest)], 2);
  count(courses().passed[static_cast<std::size_t>(Reason::route_rests)], 3);
  EXPECT_EQ(number("/routes/courses/passed/total"), 5);
  EXPECT_EQ(number("/routes/courses/passed/not-a-manifest"), 2);
  EXPECT_EQ(number("/routes/courses/passed/route-rests"), 3);
  EXPECT_EQ(number("/routes/courses/passed/method"), -1);
  EXPECT_EQ(samples().at("tessera_passed_total{route=\"courses\",reason=\"not-a-manifest\"}"), 2);
  EXPECT_EQ(samples().at("tessera_passed_total{route=\"courses\",reason=\"method\"}"), 0);
}

TEST_F(StatisticsReport, GivesEveryReasonAndOutcomeAWordOfItsOwn) {
  std::set<std::string> words;
  for (std::size_t i = 0; i < kReasons; ++i) words.insert(to_string(static_cast<Reason>(i)));
  EXPECT_EQ(words.size(), kReasons);
  EXPECT_FALSE(words.contains("unknown"));
  EXPECT_STREQ(to_string(static_cast<Reason>(kReasons)), "unknown") << "a reason without a counter";
  for (const auto& word : words)
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << word;
  words.clear();
  for (std::size_t i = 0; i < kOutcomes; ++i) words.insert(to_string(static_cast<Outcome>(i)));
  EXPECT_EQ(words.size(), kOutcomes);
  EXPECT_FALSE(words.contains("unknown"));
}

TEST_F(StatisticsReport, PutsCachedAndUncachedLatencySideBySide) {
  for (int i = 0; i < 100; ++i) courses().cached_latency.record(microseconds(20));
  courses().uncached_latency.record(microseconds(5'000));
  EXPECT_EQ(number("/routes/courses/latency/cached/count"), 100);
  EXPECT_EQ(number("/routes/courses/latency/cached/p50_us"), 20);
  EXPECT_EQ(number("/routes/courses/latency/uncached/max_us"), 5'000);
  EXPECT_EQ(number("/totals/latency/cached/mean_us"), 20);
  const auto metrics = samples();
  EXPECT_EQ(metrics.at("tessera_latency_seconds_count{route=\"courses\",result=\"cached\"}"), 100);
  EXPECT_NEAR(metrics.at("tessera_latency_seconds_sum{route=\"courses\",result=\"cached\"}"), 0.002, 1e-9);
}

TEST_F(StatisticsReport, MakesPrometheusBucketsCumulative) {
  for (int us = 1; us < 20'000'000; us = us * 3 + 1) courses().uncached_latency.record(microseconds(us));
  double before = 0;
  double infinite = -1;
  std::size_t buckets = 0;
  std::map<double, double> by_bound;
  for (const auto& [key, value] : samples()) {
    if (!key.starts_with("tessera_latency_seconds_bucket{route=\"courses\",result=\"uncached\"")) continue;
    const auto le = key.substr(key.find("le=\"") + 4);
    if (le.starts_with("+Inf")) infinite = value;
    by_bound[std::strtod(le.c_str(), nullptr)] = value;
  }
  for (const auto& [bound, value] : by_bound) {
    EXPECT_GE(value, before) << bound;
    before = value;
    ++buckets;
  }
  EXPECT_GT(buckets, 5u);
  EXPECT_EQ(infinite, static_cast<double>(courses().uncached_latency.summary().count));
}

TEST_F(StatisticsReport, TellsModesMemoryAndRedis) {
  cache::MemoryCache memory(1 << 20);
  memory.insert<int>({cache::Kind::fragment, {}, "n1"}, std::make_shared<const int>(1), 1'000, 0);
  sources_.memory = &memory;
  sources_.modes = [] { return RouteModes{{"courses", config::RouteMode::pass}}; };
  sources_.remote = [] {
    cache::RemoteHealth health;
    health.connected = true;
    health.commands = 5;
    health.faults[static_cast<std::size_t>(cache::RemoteFault::timeout)] = 2;
    health.last_error = "a \"quote\" and \xFF";
    return std::optional(health);
  };
  EXPECT_EQ(number("/memory/budget_bytes"), 1 << 20);
  EXPECT_EQ(number("/memory/fragments/entries"), 1);
  EXPECT_GE(number("/memory/fragments/bytes"), 1'000);
  EXPECT_EQ(number("/redis/commands"), 5);
  EXPECT_EQ(number("/redis/faults/total"), 2);
  EXPECT_EQ(number("/redis/faults/timeout"), 2);
  EXPECT_STREQ(document_["redis"]["last_error"].GetString(), "a \"quote\" and ?");
  EXPECT_STREQ(document_["routes"]["courses"]["mode"].GetString(), "pass");
  const auto metrics = samples();
  EXPECT_EQ(metrics.at("tessera_route_serving{route=\"courses\"}"), 0);
  EXPECT_EQ(metrics.at("tessera_memory_entries{kind=\"fragments\"}"), 1);
  EXPECT_EQ(metrics.at("tessera_redis_connected"), 1);
  EXPECT_EQ(metrics.at("tessera_redis_faults_total{reason=\"timeout\"}"), 2);
}

TEST_F(StatisticsReport, TellsHowEachOriginDoes) {
  using http::OriginStatus;
  std::vector<http::Origin> all{*http::parse_origin("http://a:1"), *http::parse_origin("unix:///run/b.sock")};
  http::OriginGroup origins(std::move(all), 2);
  auto& status = *origins.members[0].status;
  OriginStatus::add(status.of_loop(0).requests, 5);
  OriginStatus::add(status.of_loop(1).requests, 2);
  OriginStatus::add(status.of_loop(1).connections_opened, 3);
  OriginStatus::add(status.of_loop(1).connections_closed);
  OriginStatus::add(status.of_loop(0).connections_reused, 4);
  OriginStatus::add(status.of_loop(0).connections_idle);
  status.failed(1, http::make_error_code(http::Error::timeout));
  status.failed(0, http::make_error_code(http::Error::cancelled));  // nobody's fault
  status.health().eject(std::chrono::steady_clock::now(), std::chrono::hours(1));
  status.ejected();
  origins.overloads = 6;
  sources_.origins = &origins;
  EXPECT_EQ(number("/origins/a:1/requests"), 7);
  EXPECT_EQ(number("/origins/a:1/failures/total"), 1);
  EXPECT_EQ(number("/origins/a:1/failures/timeout"), 1);
  EXPECT_EQ(number("/origins/a:1/ejections"), 1);
  EXPECT_EQ(number("/origins/a:1/connections/open"), 2);
  EXPECT_EQ(number("/origins/a:1/connections/idle"), 1);
  EXPECT_EQ(number("/origins/a:1/connections/reused"), 4);
  EXPECT_EQ(number("/origin_overloads"), 6);
  EXPECT_STREQ(document_["origins"]["a:1"]["state"].GetString(), "ejected");
  EXPECT_STREQ(document_["origins"]["unix:///run/b.sock"]["state"].GetString(), "up");
  const auto metrics = samples();
  EXPECT_EQ(metrics.at("tessera_origin_sent_total{origin=\"a:1\"}"), 7);
  EXPECT_EQ(metrics.at("tessera_origin_up{origin=\"a:1\"}"), 0);
  EXPECT_EQ(metrics.at("tessera_origin_up{origin=\"unix:///run/b.sock\"}"), 1);
  EXPECT_EQ(metrics.at("tessera_origin_failures_total{origin=\"a:1\",reason=\"timeout\"}"), 1);
  EXPECT_EQ(metrics.at("tessera_origin_connections_open{origin=\"a:1\"}"), 2);
  EXPECT_EQ(metrics.at("tessera_origin_overloads_total"), 6);
}

TEST_F(StatisticsReport, UsesNoLabelsButTheAgreedOnes) {
  const std::set<std::string> agreed{"route", "result", "tier", "reason", "status", "kind", "le", "origin"};
  for (const auto& [key, value] : samples()) {
    for (auto at = key.find_first_of("{,"); at != std::string::npos; at = key.find(',', at + 1)) {
      EXPECT_TRUE(agreed.contains(key.substr(at + 1, key.find('=', at) - at - 1))) << key;
    }
  }
}

TEST_F(StatisticsReport, EscapesLabelValues) {
  const Statistics odd({"a\"b\\c\nd"});
  sources_.statistics = &odd;
  const auto text = statistics_prometheus(sources_);
  EXPECT_THAT(text, HasSubstr(R"(tessera_requests_total{route="a\"b\\c\nd"} 0)"));
  samples();
  document_.Parse(statistics_json(sources_).c_str());
  EXPECT_FALSE(document_.HasParseError());
}

}  // namespace
}  // namespace tessera::proxy
