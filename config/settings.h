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
  unsigned threads = 0;                          // event loops; 0: one per core
  bool busy_poll = true;                         // while traffic is dense, look before sleeping
  std::string proxy_protocol = "off";            // or "required": a PROXY header names the client
  std::vector<std::string> proxy_protocol_from;  // addresses and networks that may send one; empty: any
  std::vector<std::string> trusted_proxies;      // addresses and networks whose word on the client counts
  std::string handover;  // unix socket over which a new process takes the listening sockets; "": none
};

// A second listener, with TLS.
struct TlsSettings {
  std::string address;                    // "": none
  std::vector<std::string> certificates;  // PEM chains; the first one is for clients that name no known host
  std::vector<std::string> keys;          // one for each; empty: each chain's file holds its key
  std::string minimum_version = "1.2";    // or "1.3"
  std::string client_auth = "none";       // request, require
  std::string client_ca;                  // PEM; who vouches for clients' certificates
  Millis handshake_timeout{10'000};
  std::string proxy_protocol = "off";  // as ListenSettings'; the header comes before TLS
};

struct AdminSettings {
  std::string address = "127.0.0.1:9080";
  std::string token;  // needed when the address is not loopback
};

struct OriginSettings {
  std::vector<std::string> url{"http://127.0.0.1:3042"};  // several: equal in content
  std::string balance = "round-robin";                    // or "least-connections"
  Millis connect_timeout{1'000};
  Millis response_timeout{60'000};  // until the head of a response has come
  Millis progress_timeout{30'000};  // longest pause within a response's body
  Millis idle_limit{4'000};         // an idle connection older than this is not reused
  unsigned max_idle = 64;           // idle connections kept, per event loop and origin
  unsigned max_requests = 0;        // out at once, per event loop; 0: no limit
  Millis resolve_interval{30'000};  // a name is resolved again after this
  unsigned eject_after = 5;         // failures in a row, of one of several origins; 0: never
  Millis eject_time{10'000};        // doubling to a minute
  std::string health_path;          // asked for at each origin; "": no active checks
  Millis health_interval{2'000};
  Millis health_timeout{1'000};
  unsigned healthy_after = 2;    // good answers in a row
  unsigned unhealthy_after = 3;  // bad ones
  std::string tls_ca;            // for https://; "": the system's
  std::string tls_certificate;   // PEM chain that is shown to the origin; "": none
  std::string tls_key;           // its key; "": in the same file
  std::string tls_server_name;   // asked for and verified; "": the URL's host
  bool tls_verify = true;
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
  Bytes head{16ull << 10};         // a client's request head
  Bytes request_line{8ull << 10};  // its first line
  unsigned fields = 100;           // its field lines
  Bytes body;                      // a request's body; 0: any size
  Millis head_timeout{10'000};
  Millis idle_timeout{60'000};
  Millis body_timeout{30'000};
  Millis write_timeout{60'000};
  Millis request_timeout{0};            // a whole exchange; 0: any time
  Millis tunnel_timeout{3'600'000};     // longest silence of an upgraded connection
  unsigned connections = 10'000;        // of each listener
  unsigned connections_per_client = 0;  // of one address (IPv6: of one /64); 0: any number
  Millis drain_delay{0};                // after SIGTERM, before the listening sockets close
  Millis drain{10'000};                 // after that
  Bytes manifest{16ull << 20};          // largest manifest
  Bytes collection{64ull << 20};        // largest collection or records response that is kept
  unsigned batch_ids = 100;             // of one records request
  unsigned batch_target = 3'500;        // bytes of a records request's target
  unsigned batch_parallel = 4;          // records requests of one answer at once
  unsigned whole_percent = 50;     // from this share of missing records on the whole collection is fetched
  unsigned rounds = 4;             // of fetching what changed meanwhile, before the request is passed on
  Millis manifest_overlap{50};     // a manifest fetch out for longer no longer holds the next back
  unsigned manifest_parallel = 4;  // at most so many at once
  Millis manifest_timeout{5'000};  // until a manifest's head has come, and again for its body
};

enum class CacheMode { collection, pass };
enum class RouteMode { serve, pass };

struct RouteSettings {
  std::string name;
  std::string path;  // "{name}" one segment, "{*}" the rest
  CacheMode cache = CacheMode::collection;
  RouteMode mode = RouteMode::serve;
  Bytes body;                       // largest body of a request; 0: limits.body alone counts
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
  TlsSettings tls;
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
