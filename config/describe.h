// Every setting, declared once: its name in the file, its place in the structs, unit, range and meaning. The
// loader, the environment, the command line, the validator, --check and --help-config all walk this file, so
// a setting that is declared here is known to each of them, and one that is not is known to none.
#pragma once

#include <string_view>

#include "config/describe_route.h"
#include "config/describe_tls.h"
#include "config/field.h"

namespace tessera::config {

template <class Visitor, MaybeConst<ListenSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "address",
              .meaning = "Where clients connect; port 0 asks for a free one.",
              .form = "host:port",
              .check = check_address,
              .flag = "--listen",
              .required = true},
        s.address);
  visit(Field{.name = "threads",
              .meaning =
                  "Event loops, each with a thread; 0: one per core, or as many as the CPU quota is worth.",
              .range = between(0, 256),
              .flag = "--threads"},
        s.threads);
  visit(
      Field{.name = "busy_poll",
            .meaning = "While requests follow each other closely, an event loop looks for the next piece of "
                       "work for up to 0.2 ms before it sleeps: more requests from few clients for some more "
                       "processor time. Switch it off where that time is paid for."},
      s.busy_poll);
  describe_proxy_protocol(visit, s.proxy_protocol);
  visit(Field{.name = "proxy_protocol_from",
              .meaning = "Peers that may send a PROXY header, here and on the TLS listener; empty: any.",
              .form = "addresses and networks, as \"10.0.0.0/8\" and \"::1\"",
              .check = check_network},
        s.proxy_protocol_from);
  visit(
      Field{.name = "trusted_proxies",
            .meaning = "Peers whose X-Forwarded-*, Forwarded and request ids are believed and extended; from "
                       "anybody else they are overwritten.",
            .form = "addresses and networks, as \"10.0.0.0/8\" and \"::1\"",
            .check = check_network},
      s.trusted_proxies);
  visit(Field{.name = "handover",
              .meaning = "Unix socket over which a process that is started with the same setting takes over "
                         "the listening sockets, whereupon this one finishes and ends; empty: none.",
              .form = "absolute file name",
              .check = check_socket_path},
        s.handover);
}

template <class Visitor, MaybeConst<AdminSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "address",
              .meaning = "Where statistics, health, purges and switches are; port 0 asks for a free one.",
              .form = "host:port",
              .check = check_address,
              .flag = "--admin",
              .required = true},
        s.address);
  visit(Field{.name = "token",
              .meaning = "What `Authorization: Bearer` must bring; needed when the address is not loopback.",
              .check = check_token,
              .secret = Secret::whole},
        s.token);
}

template <class Visitor, MaybeConst<OriginSettings> Section>
void describe_origin_connections(Visitor& visit, Section& s) {
  visit(Field{.name = "connect_timeout",
              .meaning = "Longest time to connect.",
              .range = between(Millis{1}, kHour)},
        s.connect_timeout);
  visit(Field{.name = "response_timeout",
              .meaning = "Longest time until the head of a response has come.",
              .range = between(Millis{1}, kHour)},
        s.response_timeout);
  visit(Field{.name = "progress_timeout",
              .meaning = "Longest pause within a response's body.",
              .range = between(Millis{1}, kHour)},
        s.progress_timeout);
  visit(
      Field{.name = "idle_limit",
            .meaning =
                "An idle connection older than this is not used again; keep it below the origin's own limit.",
            .range = between(Millis{0}, kHour)},
      s.idle_limit);
  visit(Field{.name = "max_idle",
              .meaning = "Idle connections kept, per event loop and origin.",
              .range = between(0, 10'000)},
        s.max_idle);
  visit(
      Field{.name = "max_requests",
            .meaning = "Requests that are out at once, per event loop; one more is answered 503 at once; an "
                       "upgraded connection counts until its end; 0: no limit.",
            .range = between(0, 1'000'000)},
      s.max_requests);
  visit(Field{.name = "resolve_interval",
              .meaning = "A name is resolved again after this, and whenever connecting fails.",
              .range = between(Millis{100}, kHour)},
        s.resolve_interval);
}

template <class Visitor, MaybeConst<OriginSettings> Section>
void describe_origin_health(Visitor& visit, Section& s) {
  visit(Field{.name = "eject_after",
              .meaning = "Failures in a row that take one of several origins out; 0: none do.",
              .range = between(0, 1'000)},
        s.eject_after);
  visit(Field{.name = "eject_time",
              .meaning = "How long an origin stays out; doubled each time in a row, to a minute at most.",
              .range = between(Millis{100}, Millis{60'000})},
        s.eject_time);
  visit(Field{.name = "health_path",
              .meaning = "What each origin is asked for now and then; 200 to 399 is healthy; empty: never.",
              .form = "path, with or without a query",
              .check = check_health_path},
        s.health_path);
  visit(Field{.name = "health_interval",
              .meaning = "Time between two health checks of an origin.",
              .range = between(Millis{100}, kHour)},
        s.health_interval);
  visit(Field{.name = "health_timeout",
              .meaning = "Longest time for one health check.",
              .range = between(Millis{1}, Millis{60'000})},
        s.health_timeout);
  visit(Field{.name = "healthy_after",
              .meaning = "Good health checks in a row that bring an origin back.",
              .range = between(1, 100)},
        s.healthy_after);
  visit(Field{.name = "unhealthy_after",
              .meaning = "Bad health checks in a row that take one of several origins out.",
              .range = between(1, 100)},
        s.unhealthy_after);
}

template <class Visitor, MaybeConst<OriginSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "url",
              .meaning = "The service that this proxy stands in front of; several are equal in content and "
                         "share the requests.",
              .form = "http://host:port, https://host:port or unix:///path",
              .check = check_origin_url,
              .flag = "--origin",
              .required = true},
        s.url);
  visit(Field{.name = "balance",
              .meaning = "Which of several origins gets a request.",
              .words = "round-robin|least-connections"},
        s.balance);
  describe_origin_connections(visit, s);
  describe_origin_health(visit, s);
  describe_origin_tls(visit, s);
}

template <class Visitor, MaybeConst<MemorySettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "l1",
              .meaning =
                  "Memory for fragments, snapshots, manifests and envelopes, keys and overhead included; "
                  "0: no memory tier.",
              .range = or_zero(between(kMiB, kTiB)),
              .flag = "--l1"},
        s.l1);
}

template <class Visitor, MaybeConst<RedisSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "address",
              .meaning = "Where Redis is; empty: off.",
              .form = "redis://[user:password@]host:port/db, rediss://... (TLS) or unix:///path",
              .check = check_redis_address,
              .flag = "--redis",
              .secret = Secret::password},
        s.address);
  visit(Field{.name = "prefix",
              .meaning = "What every key starts with.",
              .check = check_prefix,
              .required = true},
        s.prefix);
  visit(Field{.name = "secret",
              .meaning = "Keys the HMAC of credentials, the same in every sidecar; "
                         "empty: private fragments stay in memory.",
              .secret = Secret::whole},
        s.secret);
  visit(Field{.name = "ca_file",
              .meaning = "Certificates that a rediss:// server is checked against; empty: the system's.",
              .form = "file name"},
        s.ca_file);
  visit(Field{.name = "command_timeout",
              .meaning = "Longest time for one command; the connection is closed when it passes.",
              .range = between(Millis{1}, Millis{60'000})},
        s.command_timeout);
  visit(Field{.name = "connect_timeout",
              .meaning = "Longest time to connect, TLS and AUTH included.",
              .range = between(Millis{1}, Millis{60'000})},
        s.connect_timeout);
  visit(Field{.name = "ttl",
              .meaning = "Time until a key expires, give or take 10 %.",
              .range = between(kSecond, kYear)},
        s.ttl);
  visit(Field{.name = "max_connections",
              .meaning = "Connections to Redis, per event loop.",
              .range = between(1, 256)},
        s.max_connections);
  visit(Field{.name = "keys_per_command", .meaning = "Keys of one MGET.", .range = between(1, 10'000)},
        s.keys_per_command);
  visit(Field{.name = "max_value",
              .meaning = "A larger value is neither stored nor read.",
              .range = between(kKiB, Bytes{512 * kMiB.value})},
        s.max_value);
}

template <class Visitor, MaybeConst<StatsSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "public", .meaning = "Whether the proxy's own port answers GET /__tessera/stats."},
        s.public_endpoint);
  visit(Field{.name = "cache_status",
              .meaning = "Whether every response says in Cache-Status what happened (RFC 9211)."},
        s.cache_status);
}

template <class Visitor, MaybeConst<LogSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "level",
              .meaning = "The least severe messages that are written to standard error.",
              .words = "trace|debug|info|warn|error|off"},
        s.level);
  visit(
      Field{.name = "request_id",
            .meaning = "Whether each request has an X-Request-Id, for the origin, the client and the logs."},
      s.request_id);
  visit(Field{.name = "accept_request_id",
              .meaning = "Whether any client's X-Request-Id is taken over, not only a trusted proxy's."},
        s.accept_request_id);
  visit(Field{.name = "trace", .meaning = "Whether a request without a W3C traceparent gets one."}, s.trace);
}

template <class Visitor, MaybeConst<AccessLogSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "format",
              .meaning = "One line for each request, as JSON or in the combined log format, or none.",
              .words = "off|json|combined"},
        s.format);
  visit(Field{.name = "file",
              .meaning = "Where the lines go, opened anew on SIGUSR1 and SIGHUP; \"-\": standard output.",
              .form = "file name or \"-\"",
              .required = true},
        s.file);
  visit(Field{.name = "sample",
              .meaning = "Share of requests that are written; answers of 500 and more, and those that broke "
                         "off, always are.",
              .range = between(0, 1)},
        s.sample);
  visit(Field{.name = "query",
              .meaning = "Whether a target is written with its query, which may hold secrets."},
        s.query);
}

template <class Visitor, MaybeConst<LimitsSettings> Section>
void describe_client_limits(Visitor& visit, Section& s) {
  visit(Field{.name = "head",
              .meaning = "Largest head of a client's request; more is answered 431.",
              .range = between(kKiB, kMiB)},
        s.head);
  visit(Field{.name = "request_line",
              .meaning = "Longest first line of a client's request; a longer one is answered 414.",
              .range = between(Bytes{256}, kMiB)},
        s.request_line);
  visit(Field{.name = "fields",
              .meaning = "Field lines of a client's request; more are answered 431.",
              .range = between(1, 10'000)},
        s.fields);
  visit(Field{.name = "body",
              .meaning = "Largest body of a client's request, on every route; a larger one is answered 413; "
                         "0: any size.",
              .range = or_zero(between(Bytes{1}, kTiB))},
        s.body);
  visit(Field{.name = "head_timeout",
              .meaning = "Longest time from the first byte of a request's head to its last.",
              .range = between(Millis{1}, kHour)},
        s.head_timeout);
  visit(Field{.name = "idle_timeout",
              .meaning = "Longest time between two requests on a client's connection.",
              .range = between(Millis{1}, kHour)},
        s.idle_timeout);
  visit(Field{.name = "body_timeout",
              .meaning = "Longest pause within a request's body.",
              .range = between(Millis{1}, kHour)},
        s.body_timeout);
  visit(Field{.name = "write_timeout",
              .meaning = "Longest time in which a client takes no byte of its response.",
              .range = between(Millis{1}, kHour)},
        s.write_timeout);
  visit(Field{.name = "request_timeout",
              .meaning = "Longest time from a request's head to its response's end, checked every 250 ms; "
                         "0s: any time.",
              .range = or_zero(between(Millis{1}, kYear))},
        s.request_timeout);
  visit(Field{.name = "tunnel_timeout",
              .meaning =
                  "Longest time without a byte either way on a connection that was upgraded (WebSocket).",
              .range = between(Millis{1}, kYear)},
        s.tunnel_timeout);
  visit(Field{.name = "connections",
              .meaning = "Client connections of each listener; more wait until one ends. "
                         "Fewer when the process may not open that many files.",
              .range = between(1, 1'000'000)},
        s.connections);
  visit(Field{.name = "connections_per_client",
              .meaning = "Connections from one client address (IPv6: one /64); more are closed at once; "
                         "0: any number.",
              .range = between(0, 1'000'000)},
        s.connections_per_client);
  visit(
      Field{.name = "drain_delay",
            .meaning = "After SIGTERM: how long connections are still accepted, while /readyz fails and each "
                       "answer says Connection: close; in Kubernetes about 5s.",
            .range = between(Millis{0}, kHour)},
      s.drain_delay);
  visit(Field{.name = "drain",
              .meaning = "After that: how long running requests may take before they are cut off.",
              .range = between(Millis{0}, kHour)},
        s.drain);
}

template <class Visitor, MaybeConst<LimitsSettings> Section>
void describe_fetch_limits(Visitor& visit, Section& s) {
  visit(Field{.name = "manifest",
              .meaning = "Largest manifest; with a larger one the request is passed to the origin.",
              .range = between(kKiB, kGiB)},
        s.manifest);
  visit(Field{.name = "collection",
              .meaning = "Largest collection or records response that is kept.",
              .range = between(kKiB, kGiB)},
        s.collection);
  visit(Field{.name = "batch_ids", .meaning = "Ids of one records request.", .range = between(1, 10'000)},
        s.batch_ids);
  visit(Field{.name = "batch_target",
              .meaning = "Bytes of a records request's target.",
              .range = between(256, 1'000'000)},
        s.batch_target);
  visit(Field{.name = "batch_parallel",
              .meaning = "Records requests of one answer that are out at once.",
              .range = between(1, 64)},
        s.batch_parallel);
  visit(Field{.name = "whole_percent",
              .meaning = "From this share of missing records on, the whole collection is fetched instead.",
              .form = "percent",
              .range = between(1, 100)},
        s.whole_percent);
  visit(
      Field{.name = "rounds",
            .meaning =
                "How often records that changed meanwhile are fetched again before the request is passed on.",
            .range = between(1, 100)},
      s.rounds);
  visit(Field{.name = "manifest_overlap",
              .meaning = "A manifest request that is out for longer no longer holds the next one back.",
              .range = between(Millis{0}, kHour)},
        s.manifest_overlap);
  visit(Field{.name = "manifest_parallel",
              .meaning = "Requests for one manifest that are out at once.",
              .range = between(1, 64)},
        s.manifest_parallel);
  visit(Field{.name = "manifest_timeout",
              .meaning = "Longest time until a manifest's head has come, and again for its body; then the "
                         "request is passed to the origin.",
              .range = between(Millis{1}, kHour)},
        s.manifest_timeout);
}

template <class Visitor, MaybeConst<LimitsSettings> Section>
void describe(Visitor& visit, Section& s) {
  describe_client_limits(visit, s);
  describe_fetch_limits(visit, s);
}

// Calls visit(name, section) for each section but the routes, in the order of the file.
template <class Visitor, MaybeConst<Settings> Whole>
void for_each_section(Whole& settings, Visitor&& visit) {
  visit(std::string_view("listen"), settings.listen);
  visit(std::string_view("tls"), settings.tls);
  visit(std::string_view("admin"), settings.admin);
  visit(std::string_view("origin"), settings.origin);
  visit(std::string_view("memory"), settings.memory);
  visit(std::string_view("redis"), settings.redis);
  visit(std::string_view("stats"), settings.stats);
  visit(std::string_view("log"), settings.log);
  visit(std::string_view("access_log"), settings.access_log);
  visit(std::string_view("limits"), settings.limits);
}

// Calls visit(section, field, value) for each setting but the routes'.
template <class Visitor, MaybeConst<Settings> Whole>
void for_each_setting(Whole& settings, Visitor&& visit) {
  for_each_section(settings, [&](std::string_view name, auto& section) {
    const auto field_visitor = [&](const Field& field, auto& value) { visit(name, field, value); };
    describe(field_visitor, section);
  });
}

}  // namespace tessera::config
