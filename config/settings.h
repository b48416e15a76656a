// The proxy's settings: plain structs with their defaults. Parsed and validated once, then passed as const&.
// Name, unit, range and meaning of each field are declared in config/describe.h, which the loader, the
// environment,
// --help-config and --check all walk.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::config {

using Millis = std::chrono::milliseconds;

// A number of bytes; written "256MiB", "64KiB", "1GiB" or plain.
struct Bytes {
  std::uint64_t value = 0;
  bool operator==(const Bytes&) const = default;
};

struct ListenSettings {
  std::string address = "127.0.0.1:8080";
  unsigned threads = 0;                      // event loops; 0: one per core
  std::vector<std::string> trusted_proxies;  // addresses and networks whose word on the client counts
  std::string handover;  // unix socket over which a new process takes the listening sockets; "": none
};

struct AdminSettings {
  std::string address = "127.0.0.1:9080";
  std::string token;  // needed when the address is not loopback
};

struct OriginSettings {
  std::string url = "http://127.0.0.1:3042";
  Millis connect_timeout{1'000};
  Millis response_timeout{60'000};  // until the head of a response has come
  Millis progress_timeout{30'000};  // longest pause within a response's body
  Millis idle_limit{4'000};         // an idle connection older than this is not reused
  unsigned max_idle = 64;           // idle connections kept, per event loop
};

struct MemorySettings {
  Bytes l1{256ull << 20};  // 0: no memory tier
};

struct RedisSettings {
  std::string address;  // "": off; redis://[user:password@]host:port/db, rediss://..., unix:///path
  std::string prefix = "tessera";
  std::string secret;   // keys the HMAC of credentials; "": private fragments stay in L1
  std::string ca_file;  // for rediss://; "": the system's
  Millis command_timeout{50};
  Millis connect_timeout{250};
  Millis ttl{86'400'000};           // of every key, +-10 %
  unsigned max_connections = 4;     // per event loop
  unsigned keys_per_command = 256;  // of one MGET
  Bytes max_value{8ull << 20};      // a larger value is neither stored nor read
};

struct StatsSettings {
  bool public_endpoint = false;  // "public": GET /__tessera/stats on the proxy's own port
  bool cache_status = true;      // Cache-Status on every response
};

struct LogSettings {
  std::string level = "info";      // trace, debug, info, warn, error, off
  bool request_id = true;          // each request has one, for the origin, the client and the logs
  bool accept_request_id = false;  // a client's own is taken over, not only a trusted proxy's
  bool trace = false;              // a request without traceparent gets one
};

struct AccessLogSettings {
  std::string format = "off";  // json, combined
  std::string file = "-";      // "-": standard output
  double sample = 1.0;         // share of requests, 0 to 1; those that failed are always written
  bool query = true;           // whether the target is written with its query
};

struct LimitsSettings {
  Bytes head{16ull << 10};  // a client's request head
  Millis head_timeout{10'000};
  Millis idle_timeout{60'000};
  Millis body_timeout{30'000};
  Millis write_timeout{60'000};
  unsigned connections = 10'000;   // in all
  Millis drain_delay{0};           // after SIGTERM, before the listening sockets close
  Millis drain{10'000};            // after that
  Bytes manifest{16ull << 20};     // largest manifest
  Bytes collection{64ull << 20};   // largest collection or records response that is kept
  unsigned batch_ids = 100;        // of one records request
  unsigned batch_target = 3'500;   // bytes of a records request's target
  unsigned batch_parallel = 4;     // records requests of one answer at once
  unsigned whole_percent = 50;     // from this share of missing records on the whole collection is fetched
  unsigned rounds = 4;             // of fetching what changed meanwhile, before the request is passed on
  Millis manifest_overlap{50};     // a manifest fetch out for longer no longer holds the next back
  unsigned manifest_parallel = 4;  // at most so many at once
};

enum class CacheMode { collection, pass };
enum class RouteMode { serve, pass };

struct RouteSettings {
  std::string name;
  std::string path;  // "{name}" one segment, "{*}" the rest
  CacheMode cache = CacheMode::collection;
  RouteMode mode = RouteMode::serve;
  std::string manifest = "accept";  // or a target template with {path}, {query} and the path's own names
  std::string manifest_array = "/records";
  std::string manifest_id = "/0";
  std::string manifest_version = "/1";
  std::string records = "{path}?ids={ids}";
  std::optional<std::string> array;  // JSON Pointer; unset: found by itself
  std::string id = "/id";
  std::string version;                        // "": records do not show it
  std::string included;                       // "": no JSON:API
  std::map<std::string, std::string> types;   // linkage type -> included resource's type
  std::vector<std::string> constant_members;  // of the envelope, never changing
  std::vector<std::string> list_params{"page", "per_page", "sort", "published"};
  std::string records_audience = "private";  // or "shared"
  std::vector<std::string> credentials{"authorization", "cookie"};
  std::vector<std::string> vary;  // further request fields that responses vary on
  std::string epoch = "1";
  Millis settle{2'000};
  Millis fragment_max_age{86'400'000};
  Millis stale_if_error{0};
  double verify = 0.0;  // share of live answers, 0 to 1
};

struct Settings {
  ListenSettings listen;
  AdminSettings admin;
  OriginSettings origin;
  MemorySettings memory;
  RedisSettings redis;
  StatsSettings stats;
  LogSettings log;
  AccessLogSettings access_log;
  LimitsSettings limits;
  std::vector<RouteSettings> routes;
};

}  // namespace tessera::config
