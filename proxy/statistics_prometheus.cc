// GET /metrics: Prometheus' text format 0.0.4. Label values are route names, results, tiers, reasons, status
// classes and kinds, all of them from fixed sets: the number of series does not grow with traffic.
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/version.h"
#include "proxy/admin.h"
#include "proxy/kind_name.h"

namespace tessera::proxy {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

std::uint64_t value_of(const Counter& counter) {
  return counter.load(std::memory_order_relaxed);
}

void append_number(std::string& out, double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(error == std::errc() ? std::string_view(buffer.data(), end) : "0");
}

// Writes families: HELP and TYPE once, then their samples.
class MetricsWriter {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_.append("# HELP ").append(name).append(" ").append(help);
    out_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  }

  void sample(const Labels& labels, std::uint64_t value) { sample("", labels, std::to_string(value)); }
  void sample(const Labels& labels, double value) {
    std::string text;
    append_number(text, value);
    sample("", labels, text);
  }

  void sample(std::string_view suffix, const Labels& labels, std::string_view value) {
    out_.append(name_).append(suffix);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      out_.append(i == 0 ? "{" : ",").append(labels[i].first).append("=\"");
      append_escaped(labels[i].second);
      out_.append("\"");
    }
    out_.append(labels.empty() ? " " : "} ").append(value).append("\n");
  }

  void comment(std::string_view text) { out_.append("# ").append(text).append("\n"); }
  std::string take() { return std::move(out_); }

 private:
  void append_escaped(std::string_view text) {
    for (const char c : text) {
      if (c == '\\' || c == '"') out_ += '\\';
      if (c == '\n') {
        out_ += "\\n";
      } else {
        out_ += c;
      }
    }
  }

  std::string out_;
  std::string_view name_;
};

using Member = Counter RouteStatistics::*;

struct Series {
  std::string_view label_value;
  Member counter;
};

// One family with a sample for each route, or for each route and label value.
struct CounterFamily {
  std::string_view name;
  std::string_view help;
  std::string_view label;  // "": a single series without a second label
  std::vector<Series> series;
};

const std::vector<CounterFamily>& counter_families() {
  using R = RouteStatistics;
  static const std::vector<CounterFamily> kFamilies{
      {"tessera_requests_total", "Requests that matched the route.", "", {{"", &R::requests}}},
      {"tessera_not_modified_total", "Responses with status 304.", "", {{"", &R::not_modified}}},
      {"tessera_record_lookups_total",
       "Records of answers, by where they were found.",
       "tier",
       {{"snapshot", &R::records_snapshot},
        {"memory", &R::records_memory},
        {"redis", &R::records_remote},
        {"origin", &R::records_origin}}},
      {"tessera_origin_requests_total",
       "Requests to the origin, by what they were for.",
       "kind",
       {{"manifest", &R::origin_manifest},
        {"check", &R::origin_check},
        {"records", &R::origin_records},
        {"collection", &R::origin_collection},
        {"verify", &R::origin_verify},
        {"pass", &R::origin_pass}}},
      {"tessera_origin_not_modified_total",
       "Answers 304 of the origin to manifest and check requests.",
       "",
       {{"", &R::origin_manifest_304}}},
      {"tessera_coalesced_total",
       "Waits for what another request had asked for already, by what it was.",
       "kind",
       {{"manifest", &R::coalesced_manifests},
        {"assembly", &R::coalesced_assemblies},
        {"record", &R::coalesced_records}}},
      {"tessera_body_bytes_total",
       "Bytes of bodies: sent from the cache, received from the origin, sent to clients in all.",
       "kind",
       {{"from_cache", &R::bytes_cache}, {"from_origin", &R::bytes_origin}, {"sent", &R::bytes_sent}}},
      {"tessera_records_total",
       "Records, by what befell them.",
       "kind",
       {{"stored", &R::stored_fragments},
        {"version_missing", &R::version_missing},
        {"racy", &R::racy},
        {"corrupt", &R::corrupt_values},
        {"purged_in_flight", &R::purged_in_flight}}},
      {"tessera_verified_total",
       "Answers compared with the origin's own.",
       "result",
       {{"equal", &R::verified}, {"mismatch", &R::mismatches}}},
  };
  return kFamilies;
}

void write_counters(MetricsWriter& out, const Statistics& statistics) {
  for (const auto& family : counter_families()) {
    out.family(family.name, "counter", family.help);
    for (const auto& route : statistics.routes()) {
      for (const auto& series : family.series) {
        Labels labels{{"route", route->name}};
        if (!family.label.empty()) labels.emplace_back(family.label, series.label_value);
        out.sample(labels, value_of((*route).*series.counter));
      }
    }
  }
}

void write_outcomes(MetricsWriter& out, const Statistics& statistics) {
  out.family("tessera_responses_total", "counter", "Responses, by how they came about.");
  for (const auto& route : statistics.routes()) {
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      const Labels labels{{"route", route->name}, {"result", to_string(static_cast<Outcome>(i))}};
      out.sample(labels, value_of(route->outcomes[i]));
    }
  }
  out.family("tessera_responses_by_status_total", "counter", "Responses, by class of status.");
  for (const auto& route : statistics.routes()) {
    for (std::size_t i = 1; i < route->status_classes.size(); ++i) {
      const auto status_class = std::to_string(i) + "xx";
      out.sample({{"route", route->name}, {"status", status_class}}, value_of(route->status_classes[i]));
    }
  }
  out.family("tessera_passed_total", "counter", "Requests passed to the origin uncached, by reason.");
  for (const auto& route : statistics.routes()) {
    for (std::size_t i = 1; i < kReasons; ++i) {
      const Labels labels{{"route", route->name}, {"reason", to_string(static_cast<Reason>(i))}};
      out.sample(labels, value_of(route->passed[i]));
    }
  }
}

// Upper bounds in microseconds, each the end of one of the histogram's buckets, so that counts are exact. In
// seconds they read as powers of two of a microsecond.
constexpr std::array<std::uint64_t, 13> kBounds{15,    63,     127,    255,     511,       1'023,    2'047,
                                                4'095, 16'383, 65'535, 262'143, 1'048'575, 8'388'607};

void write_latency(MetricsWriter& out, std::string_view route, std::string_view result,
                   const Histogram& histogram) {
  for (const auto bound : kBounds) {
    std::string le;
    // What is shorter than a whole microsecond was cut off: "at most 15" holds all that is less than 16.
    append_number(le, static_cast<double>(bound + 1) / 1e6);
    out.sample("_bucket", {{"route", route}, {"result", result}, {"le", le}},
               std::to_string(histogram.count_up_to(bound)));
  }
  const auto count = std::to_string(histogram.summary().count);  // last, so that no bucket holds more
  std::string sum;
  append_number(sum, static_cast<double>(histogram.sum_us()) / 1e6);
  out.sample("_bucket", {{"route", route}, {"result", result}, {"le", "+Inf"}}, count);
  out.sample("_sum", {{"route", route}, {"result", result}}, sum);
  out.sample("_count", {{"route", route}, {"result", result}}, count);
}

void write_latencies(MetricsWriter& out, const Statistics& statistics) {
  out.family("tessera_latency_seconds", "histogram",
             "From the end of a request's head until its response was handed over, cached and uncached.");
  for (const auto& route : statistics.routes()) {
    write_latency(out, route->name, "cached", route->cached_latency);
    write_latency(out, route->name, "uncached", route->uncached_latency);
  }
}

void write_memory(MetricsWriter& out, const cache::MemoryCache* memory) {
  const auto sizes = memory ? memory->sizes() : cache::MemoryCache::Sizes{};
  out.family("tessera_memory_budget_bytes", "gauge", "What the memory tier may take.");
  out.sample({}, std::uint64_t{sizes.budget});
  out.family("tessera_memory_bytes", "gauge",
             "What the entries of the memory tier take, keys and overhead included.");
  for (std::size_t i = 0; i < cache::kKinds; ++i) {
    out.sample({{"kind", kind_name(static_cast<cache::Kind>(i))}}, std::uint64_t{sizes.bytes_by_kind[i]});
  }
  out.family("tessera_memory_entries", "gauge", "Entries of the memory tier.");
  for (std::size_t i = 0; i < cache::kKinds; ++i) {
    out.sample({{"kind", kind_name(static_cast<cache::Kind>(i))}}, std::uint64_t{sizes.entries[i]});
  }
  out.family("tessera_memory_pinned_bytes", "gauge", "What was evicted or replaced and is still being sent.");
  out.sample({}, std::uint64_t{sizes.pinned_bytes});
  out.family("tessera_memory_evictions_total", "counter", "Entries that had to make room.");
  out.sample({}, sizes.evictions);
}

void write_redis(MetricsWriter& out, const std::optional<cache::RemoteHealth>& health) {
  if (!health) return;
  out.family("tessera_redis_connected", "gauge", "1 while there is a connection to Redis.");
  out.sample({}, std::uint64_t{health->connected ? 1u : 0u});
  out.family("tessera_redis_commands_total", "counter", "Commands sent to Redis.");
  out.sample({}, health->commands);
  out.family("tessera_redis_reconnects_total", "counter", "Connections to Redis that replaced a broken one.");
  out.sample({}, health->reconnects);
  out.family("tessera_redis_writes_dropped_total", "counter", "Writes that Redis did not get.");
  out.sample({}, health->writes_dropped);
  out.family("tessera_redis_faults_total", "counter",
             "Commands that Redis did not answer as it should, by reason.");
  for (std::size_t i = 1; i < cache::kRemoteFaults; ++i) {
    out.sample({{"reason", cache::to_string(static_cast<cache::RemoteFault>(i))}}, health->faults[i]);
  }
}

using OriginCount = std::uint64_t http::OriginCounts::*;

void write_origin_counts(MetricsWriter& out, const http::OriginGroup& origins) {
  struct Family {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    OriginCount count;
  };
  using Counts = http::OriginCounts;
  static constexpr std::array<Family, 5> kFamilies{{
      {"tessera_origin_sent_total", "counter", "Requests for which the origin was chosen.",
       &Counts::requests},
      {"tessera_origin_connections_opened_total", "counter", "Connections opened to the origin.",
       &Counts::connections_opened},
      {"tessera_origin_connections_reused_total", "counter",
       "Requests sent on a connection that had been kept.", &Counts::connections_reused},
      {"tessera_origin_connections_open", "gauge", "Connections to the origin, the idle ones among them.",
       &Counts::connections_open},
      {"tessera_origin_connections_idle", "gauge", "Idle connections to the origin.",
       &Counts::connections_idle},
  }};
  for (const auto& family : kFamilies) {
    out.family(family.name, family.type, family.help);
    for (const auto& member : origins.members) {
      out.sample({{"origin", member.status->name()}}, member.status->counts().*family.count);
    }
  }
}

void write_origins(MetricsWriter& out, const http::OriginGroup* origins) {
  if (!origins) return;
  out.family("tessera_origin_up", "gauge", "1 while the origin is asked, 0 while it is left out.");
  const auto now = std::chrono::steady_clock::now();
  for (const auto& member : origins->members) {
    out.sample({{"origin", member.status->name()}},
               std::uint64_t{member.status->health().is_up(now) ? 1u : 0u});
  }
  out.family("tessera_origin_failures_total", "counter", "Requests that got no response, by reason.");
  for (const auto& member : origins->members) {
    const auto counts = member.status->counts();
    for (std::size_t i = 0; i < http::kOriginFaults; ++i) {
      out.sample(
          {{"origin", member.status->name()}, {"reason", to_string(static_cast<http::OriginFault>(i))}},
          counts.faults[i]);
    }
  }
  out.family("tessera_origin_ejections_total", "counter", "How often failures took the origin out.");
  for (const auto& member : origins->members) {
    out.sample({{"origin", member.status->name()}}, member.status->ejections());
  }
  write_origin_counts(out, *origins);
  out.family("tessera_origin_overloads_total", "counter", "Requests refused because too many were out.");
  out.sample({}, value_of(origins->overloads));
}

void write_access_log(MetricsWriter& out, const LogCounts* counts) {
  if (!counts) return;
  out.family("tessera_access_log_lines_total", "counter", "Lines of the access log that were written.");
  out.sample({}, counts->written.load(std::memory_order_relaxed));
  out.family("tessera_access_log_dropped_total", "counter",
             "Lines of the access log that found no room or could not be written.");
  out.sample({}, counts->dropped.load(std::memory_order_relaxed));
}

void write_modes(MetricsWriter& out, const StatisticsSources& sources) {
  if (!sources.modes) return;
  out.family("tessera_route_serving", "gauge", "1 while the route's mode is serve, 0 while it is pass.");
  for (const auto& [name, mode] : sources.modes()) {
    out.sample({{"route", name}}, std::uint64_t{mode == config::RouteMode::serve ? 1u : 0u});
  }
}

}  // namespace

std::string statistics_prometheus(const StatisticsSources& sources) {
  const std::chrono::duration<double> uptime =
      std::chrono::steady_clock::now() - sources.statistics->started();
  MetricsWriter out;
  out.comment("tessera-proxy " + std::string(config::kVersion));
  out.family("tessera_uptime_seconds", "gauge", "Time since the start.");
  out.sample({}, uptime.count());
  out.family("tessera_refused_total", "counter",
             "Requests that the server answered itself: malformed, over a limit, too slow.");
  out.sample({}, value_of(sources.statistics->refused()));
  write_modes(out, sources);
  write_counters(out, *sources.statistics);
  write_outcomes(out, *sources.statistics);
  write_latencies(out, *sources.statistics);
  write_origins(out, sources.origins);
  write_memory(out, sources.memory);
  write_redis(out, sources.remote ? sources.remote() : std::nullopt);
  write_access_log(out, sources.access_log);
  return out.take();
}

}  // namespace tessera::proxy
