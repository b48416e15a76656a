// GET /stats: the counters as one JSON object, indented for people. A ratio of nothing is 0, so NaN never
// appears.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "config/version.h"
#include "json/escape.h"
#include "json/writer.h"
#include "proxy/admin.h"
#include "proxy/kind_name.h"

namespace tessera::proxy {
namespace {

using json::Writer;

std::uint64_t value_of(const Counter& counter) {
  return counter.load(std::memory_order_relaxed);
}

void put(Writer& writer, std::string_view name, std::uint64_t value) {
  writer.key(name);
  writer.number(static_cast<std::int64_t>(value));
}

void put(Writer& writer, std::string_view name, const Counter& counter) {
  put(writer, name, value_of(counter));
}

void put(Writer& writer, std::string_view name, bool value) {
  writer.key(name);
  writer.boolean(value);
}

void put(Writer& writer, std::string_view name, const char* text) {
  writer.key(name);
  writer.string(text);
}

// With at most `digits` fraction digits.
void put(Writer& writer, std::string_view name, double value, int digits) {
  const double power = std::pow(10.0, digits);
  const double rounded = std::isfinite(value) ? std::round(value * power) / power : 0;
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded);
  writer.key(name);
  writer.raw(error == std::errc() ? std::string_view(buffer.data(), end) : "0");
}

void put_ratio(Writer& writer, std::string_view name, std::uint64_t part, std::uint64_t whole) {
  put(writer, name, whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole), 6);
}

// What came from elsewhere and need not be UTF-8.
std::string printable(std::string text) {
  if (json::is_utf8(text)) return text;
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  return text;
}

void put_responses(Writer& writer, const RouteStatistics& route) {
  put(writer, "requests", route.requests);
  writer.key("responses");
  writer.begin_object();
  std::uint64_t answered = 0;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    put(writer, to_string(static_cast<Outcome>(i)), route.outcomes[i]);
    answered += value_of(route.outcomes[i]);
  }
  put_ratio(writer, "hit_ratio", value_of(route.outcomes[static_cast<std::size_t>(Outcome::hit)]), answered);
  put(writer, "not_modified", route.not_modified);
  writer.key("status");
  writer.begin_object();
  for (std::size_t i = 1; i < route.status_classes.size(); ++i) {
    put(writer, std::to_string(i) + "xx", route.status_classes[i]);
  }
  writer.end_object();
  writer.end_object();
}

void put_records(Writer& writer, const RouteStatistics& route) {
  const auto found =
      value_of(route.records_snapshot) + value_of(route.records_memory) + value_of(route.records_remote);
  const auto lookups = found + value_of(route.records_origin);
  writer.key("records");
  writer.begin_object();
  put(writer, "lookups", lookups);
  put(writer, "snapshot", route.records_snapshot);
  put(writer, "memory", route.records_memory);
  put(writer, "redis", route.records_remote);
  put(writer, "origin", route.records_origin);
  put_ratio(writer, "hit_ratio", found, lookups);
  put(writer, "stored", route.stored_fragments);
  put(writer, "version_missing", route.version_missing);
  put(writer, "racy", route.racy);
  put(writer, "corrupt", route.corrupt_values);
  put(writer, "purged_in_flight", route.purged_in_flight);
  writer.end_object();
}

// manifest_not_modified counts answers, not requests: to "manifest" and to "check".
void put_origin_requests(Writer& writer, const RouteStatistics& route) {
  const std::array<std::pair<std::string_view, const Counter*>, 6> kinds{{
      {"manifest", &route.origin_manifest},
      {"check", &route.origin_check},
      {"records", &route.origin_records},
      {"collection", &route.origin_collection},
      {"verify", &route.origin_verify},
      {"pass", &route.origin_pass},
  }};
  writer.key("origin_requests");
  writer.begin_object();
  std::uint64_t total = 0;
  for (const auto& [name, counter] : kinds) {
    put(writer, name, *counter);
    total += value_of(*counter);
  }
  put(writer, "total", total);
  put(writer, "manifest_not_modified", route.origin_manifest_304);
  writer.end_object();
}

void put_passed(Writer& writer, const RouteStatistics& route) {
  writer.key("passed");
  writer.begin_object();
  std::uint64_t total = 0;
  for (const auto& counter : route.passed) total += value_of(counter);
  put(writer, "total", total);
  for (std::size_t i = 0; i < kReasons; ++i) {
    const auto passed = value_of(route.passed[i]);
    if (passed != 0) put(writer, to_string(static_cast<Reason>(i)), passed);
  }
  writer.end_object();
}

void put_latency(Writer& writer, std::string_view name, const Histogram& histogram) {
  const auto summary = histogram.summary();
  writer.key(name);
  writer.begin_object();
  put(writer, "count", summary.count);
  put(writer, "mean_us", summary.mean_us, 1);
  put(writer, "p50_us", summary.p50_us, 0);
  put(writer, "p90_us", summary.p90_us, 0);
  put(writer, "p99_us", summary.p99_us, 0);
  put(writer, "max_us", summary.max_us, 0);
  writer.end_object();
}

// The members of one route, or of all together.
void put_counts(Writer& writer, const RouteStatistics& route) {
  put_responses(writer, route);
  put_records(writer, route);
  put_origin_requests(writer, route);
  put_passed(writer, route);
  writer.key("coalesced");
  writer.begin_object();
  put(writer, "manifests", route.coalesced_manifests);
  put(writer, "assemblies", route.coalesced_assemblies);
  put(writer, "records", route.coalesced_records);
  writer.end_object();
  writer.key("bytes");
  writer.begin_object();
  put(writer, "from_cache", route.bytes_cache);
  put(writer, "from_origin", route.bytes_origin);
  put(writer, "sent", route.bytes_sent);
  writer.end_object();
  writer.key("verify");
  writer.begin_object();
  put(writer, "equal", route.verified);
  put(writer, "mismatches", route.mismatches);
  writer.end_object();
  writer.key("latency");
  writer.begin_object();
  put_latency(writer, "cached", route.cached_latency);
  put_latency(writer, "uncached", route.uncached_latency);
  writer.end_object();
}

void put_routes(Writer& writer, const StatisticsSources& sources) {
  RouteModes modes;
  if (sources.modes) modes = sources.modes();
  RouteStatistics totals;
  for (const auto& route : sources.statistics->routes()) route->add_to(totals);
  writer.key("totals");
  writer.begin_object();
  put_counts(writer, totals);
  writer.end_object();
  writer.key("routes");
  writer.begin_object();
  for (const auto& route : sources.statistics->routes()) {
    writer.key(printable(route->name));
    writer.begin_object();
    for (const auto& [name, mode] : modes) {
      if (name == route->name) put(writer, "mode", mode == config::RouteMode::serve ? "serve" : "pass");
    }
    put_counts(writer, *route);
    writer.end_object();
  }
  writer.end_object();
}

void put_memory(Writer& writer, const cache::MemoryCache* memory) {
  const auto sizes = memory ? memory->sizes() : cache::MemoryCache::Sizes{};
  writer.key("memory");
  writer.begin_object();
  put(writer, "enabled", memory && memory->enabled());
  put(writer, "budget_bytes", std::uint64_t{sizes.budget});
  put(writer, "bytes", std::uint64_t{sizes.bytes});
  put(writer, "pinned_bytes", std::uint64_t{sizes.pinned_bytes});
  put(writer, "evictions", sizes.evictions);
  for (std::size_t i = 0; i < cache::kKinds; ++i) {
    writer.key(kind_name(static_cast<cache::Kind>(i)));
    writer.begin_object();
    put(writer, "entries", std::uint64_t{sizes.entries[i]});
    put(writer, "bytes", std::uint64_t{sizes.bytes_by_kind[i]});
    writer.end_object();
  }
  writer.end_object();
}

void put_redis(Writer& writer, const std::optional<cache::RemoteHealth>& health) {
  writer.key("redis");
  writer.begin_object();
  put(writer, "enabled", health.has_value());
  if (health) {
    put(writer, "connected", health->connected);
    put(writer, "commands", health->commands);
    put(writer, "reconnects", health->reconnects);
    put(writer, "writes_dropped", health->writes_dropped);
    writer.key("faults");
    writer.begin_object();
    std::uint64_t total = 0;
    for (std::size_t i = 1; i < cache::kRemoteFaults; ++i) total += health->faults[i];
    put(writer, "total", total);
    for (std::size_t i = 1; i < cache::kRemoteFaults; ++i) {
      if (health->faults[i] != 0)
        put(writer, cache::to_string(static_cast<cache::RemoteFault>(i)), health->faults[i]);
    }
    writer.end_object();
    put(writer, "last_error", printable(health->last_error).c_str());
  }
  writer.end_object();
}

void put_origin(Writer& writer, const http::OriginStatus& origin) {
  const auto counts = origin.counts();
  put(writer, "state", to_string(origin.health().state(std::chrono::steady_clock::now())));
  put(writer, "requests", counts.requests);
  writer.key("failures");
  writer.begin_object();
  std::uint64_t total = 0;
  for (const auto faults : counts.faults) total += faults;
  put(writer, "total", total);
  for (std::size_t i = 0; i < http::kOriginFaults; ++i) {
    put(writer, to_string(static_cast<http::OriginFault>(i)), counts.faults[i]);
  }
  writer.end_object();
  put(writer, "ejections", origin.ejections());
  writer.key("connections");
  writer.begin_object();
  put(writer, "open", counts.connections_open);
  put(writer, "idle", counts.connections_idle);
  put(writer, "opened", counts.connections_opened);
  put(writer, "reused", counts.connections_reused);
  writer.end_object();
}

void put_origins(Writer& writer, const http::OriginGroup* origins) {
  if (!origins) return;
  put(writer, "origin_overloads", origins->overloads);
  writer.key("origins");
  writer.begin_object();
  for (const auto& member : origins->members) {
    writer.key(printable(member.status->name()));
    writer.begin_object();
    put_origin(writer, *member.status);
    writer.end_object();
  }
  writer.end_object();
}

void put_access_log(Writer& writer, const LogCounts* counts) {
  if (!counts) return;
  writer.key("access_log");
  writer.begin_object();
  put(writer, "written", counts->written);
  put(writer, "dropped", counts->dropped);
  writer.end_object();
}

// Compact JSON with line breaks and two blanks a level.
std::string indented(std::string_view json) {
  std::string out;
  out.reserve(json.size() * 2);
  std::size_t depth = 0;
  bool in_string = false;
  const auto new_line = [&] { out.append(1, '\n').append(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      in_string = c != '"';
      continue;
    }
    const bool is_empty = c == '{' && i + 1 < json.size() && json[i + 1] == '}';
    if (is_empty) {
      out += "{}";
      ++i;
      continue;
    }
    if (c == '}') {
      --depth;
      new_line();
    }
    out += c;
    in_string = c == '"';
    if (c == '{') ++depth;
    if (c == '{' || c == ',') new_line();
    if (c == ':') out += ' ';
  }
  return out += '\n';
}

}  // namespace

std::string statistics_json(const StatisticsSources& sources) {
  const std::chrono::duration<double> uptime =
      std::chrono::steady_clock::now() - sources.statistics->started();
  Writer writer(json::Escape::none);
  writer.begin_object();
  writer.key("version");
  writer.string(config::kVersion);
  put(writer, "uptime_seconds", uptime.count(), 3);
  put(writer, "refused", sources.statistics->refused());
  put_routes(writer, sources);
  put_origins(writer, sources.origins);
  put_memory(writer, sources.memory);
  put_redis(writer, sources.remote ? sources.remote() : std::nullopt);
  put_access_log(writer, sources.access_log);
  writer.end_object();
  return indented(writer.view());
}

}  // namespace tessera::proxy
