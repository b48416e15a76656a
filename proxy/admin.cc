#include "proxy/admin.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <utility>

#include "http/error.h"
#include "json/escape.h"
#include "json/writer.h"
#include "proxy/query.h"

namespace tessera::proxy {
namespace {

constexpr std::size_t kLargestManifest = 16u << 20;
constexpr std::chrono::seconds kBodyTime{30};
constexpr std::string_view kRoutes = "/routes/";

enum class Endpoint : unsigned char {
  unknown,
  stats,
  metrics,
  healthz,
  readyz,
  purge,
  invalidate,
  reload,
  route
};

Endpoint endpoint_of(std::string_view path) {
  if (path == "/stats") return Endpoint::stats;
  if (path == "/metrics") return Endpoint::metrics;
  if (path == "/healthz") return Endpoint::healthz;
  if (path == "/readyz") return Endpoint::readyz;
  if (path == "/purge") return Endpoint::purge;
  if (path == "/invalidate") return Endpoint::invalidate;
  if (path == "/reload") return Endpoint::reload;
  if (path.starts_with(kRoutes) && path.size() > kRoutes.size()) return Endpoint::route;
  return Endpoint::unknown;
}

bool is_health(Endpoint endpoint) {
  return endpoint == Endpoint::healthz || endpoint == Endpoint::readyz;
}

bool is_read_only(Endpoint endpoint) {
  return is_health(endpoint) || endpoint == Endpoint::stats || endpoint == Endpoint::metrics;
}

http::Response respond(std::string_view type, std::string body) {
  http::Response response;
  response.head.fields.set("Content-Type", type);
  response.body = std::move(body);
  return response;
}

http::Response respond_json(std::string body) {
  return respond("application/json", std::move(body));
}

http::Response respond(const PurgeCount& count) {
  if (count.remote_failed) {
    return http::problem(
        503, "purged " + std::to_string(count.memory) +
                 " entries from memory, but Redis did not answer: this sidecar no longer takes what Redis "
                 "held, the others still do; purge again when it is back");
  }
  const auto remote = count.remote ? std::to_string(*count.remote) : "null";
  return respond_json("{\"memory\":" + std::to_string(count.memory) + ",\"redis\":" + remote + "}\n");
}

http::Response wrong_method(std::string_view allowed) {
  auto response = http::problem(405, "this takes " + std::string(allowed));
  response.head.fields.set("Allow", allowed);
  return response;
}

http::Response no_such_route(std::string_view name) {
  return http::problem(404, "there is no route \"" + std::string(name) + "\"");
}

// A '%' without two hexadecimal digits behind it.
bool has_broken_escape(std::string_view text) {
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1)) {
    const auto digits = text.substr(i + 1, 2);
    if (digits.size() != 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
      return true;
  }
  return false;
}

// Each of the names at most once, with a value, and nothing else; "" when it is so.
std::string check_parameters(std::string_view query, std::initializer_list<std::string_view> names) {
  std::vector<std::string> seen;
  for (const auto piece : query_pieces(query)) {
    auto name = query_name(piece);
    if (std::find(names.begin(), names.end(), name) == names.end()) return "there is no parameter " + name;
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return "the parameter " + name + " is there twice";
    if (has_broken_escape(piece)) return "the parameter " + name + " has a '%' that is no escape";
    if (query_value(piece, name).value_or("").empty()) return "the parameter " + name + " has no value";
    seen.push_back(std::move(name));
  }
  return {};
}

// A HEAD answer is the GET answer without its body.
void drop_body(http::Response& response) {
  if (const auto* body = std::get_if<std::string>(&response.body)) response.body = http::NoBody{body->size()};
}

}  // namespace

Admin::Admin(const config::AdminSettings& settings, StatisticsSources sources, AdminActions actions)
    : guard_(settings), sources_(std::move(sources)), actions_(std::move(actions)) {
  if (!sources_.modes) sources_.modes = actions_.modes;
}

http::Task<http::Response> Admin::handle(http::Request& request) {
  auto response = co_await answer(request);
  response.head.fields.set("Cache-Control", "no-store");
  response.head.fields.set("X-Content-Type-Options", "nosniff");
  if (request.head.method == "HEAD") drop_body(response);
  co_return response;
}

http::Task<http::Response> Admin::answer(http::Request& request) {
  const auto path = request.head.path();
  const auto endpoint = endpoint_of(path);
  auto refusal = guard_.refuse(request.head, !is_health(endpoint));
  if (refusal) co_return std::move(*refusal);
  if (endpoint == Endpoint::unknown) co_return http::problem(404, "there is nothing here; try /stats");
  const auto& method = request.head.method;
  if (is_read_only(endpoint)) {
    if (method != "GET" && method != "HEAD") co_return wrong_method("GET, HEAD");
    co_return read(path);
  }
  if (method != "POST") co_return wrong_method("POST");
  const auto query = request.head.query().value_or("");
  if (endpoint == Endpoint::route) co_return switch_route(path.substr(kRoutes.size()), query);
  if (endpoint == Endpoint::invalidate) co_return co_await invalidate(request);
  if (endpoint == Endpoint::reload) co_return co_await reload(query);
  co_return co_await purge(query);
}

http::Response Admin::read(std::string_view path) const {
  switch (endpoint_of(path)) {
    case Endpoint::stats:
      return respond_json(statistics_json(sources_));
    case Endpoint::metrics:
      return respond("text/plain; version=0.0.4; charset=utf-8", statistics_prometheus(sources_));
    case Endpoint::readyz:
      if (!actions_.ready()) return http::problem(503, "not ready: starting, or draining");
      return respond_json("{\"ready\":true}\n");
    default:
      return respond_json("{\"healthy\":true}\n");
  }
}

http::Task<http::Response> Admin::purge(std::string_view query) {
  const auto complaint = check_parameters(query, {"route", "id"});
  if (!complaint.empty()) co_return http::problem(400, complaint);
  auto route = query_value(query, "route");
  auto id = query_value(query, "id");
  if (id && !route) co_return http::problem(400, "the parameter id needs the parameter route");
  if (route && !has_route(*route)) co_return no_such_route(*route);
  auto task = actions_.purge(std::move(route), std::move(id));
  const auto count = co_await std::move(task);
  co_return respond(count);
}

http::Task<http::Response> Admin::invalidate(http::Request& request) {
  const auto query = request.head.query().value_or("");
  const auto complaint = check_parameters(query, {"route"});
  if (!complaint.empty()) co_return http::problem(400, complaint);
  const auto route = query_value(query, "route");
  if (!route) co_return http::problem(400, "the parameter route is missing");
  if (!has_route(*route)) co_return no_such_route(*route);
  const auto deadline = std::chrono::steady_clock::now() + kBodyTime;
  auto manifest = co_await http::read_all(*request.body, kLargestManifest, deadline);
  if (!manifest) {
    if (manifest.error() == http::Error::body_too_large) {
      co_return http::problem(413, "a manifest has at most 16 MiB");
    }
    if (manifest.error() == http::Error::timeout)
      co_return http::problem(408, "the manifest did not come in time");
    co_return http::problem(400, "the manifest did not come whole");
  }
  auto task = actions_.invalidate(*route, std::move(*manifest));
  const auto count = co_await std::move(task);
  if (!count) co_return http::problem(400, count.error());
  co_return respond(*count);
}

http::Task<http::Response> Admin::reload(std::string_view query) {
  const auto complaint = check_parameters(query, {});
  if (!complaint.empty()) co_return http::problem(400, complaint);
  if (!actions_.reload) co_return http::problem(501, "this process cannot read its settings anew");
  auto task = actions_.reload();
  const auto faults = co_await std::move(task);
  if (faults.empty()) co_return respond_json("{\"reloaded\":true}\n");
  std::string detail = "nothing has changed:";
  for (const auto& fault : faults) detail += "\n" + fault;
  co_return http::problem(422, detail);
}

http::Response Admin::switch_route(std::string_view route, std::string_view query) {
  const auto complaint = check_parameters(query, {"mode"});
  if (!complaint.empty()) return http::problem(400, complaint);
  const auto word = query_value(query, "mode");
  if (!word) return http::problem(400, "the parameter mode is missing; it is serve or pass");
  if (*word != "serve" && *word != "pass")
    return http::problem(400, "the parameter mode must be serve or pass");
  // Before the action, so that only names of the settings come into the answer.
  const auto mode = *word == "serve" ? config::RouteMode::serve : config::RouteMode::pass;
  if (!has_route(route) || !actions_.set_mode(route, mode)) return no_such_route(route);
  json::Writer writer(json::Escape::none);
  writer.begin_object();
  writer.key("route");
  writer.string(route);
  writer.key("mode");
  writer.string(*word);
  writer.end_object();
  return respond_json(writer.take() + "\n");
}

bool Admin::has_route(std::string_view name) const {
  const auto modes = actions_.modes();
  return std::any_of(modes.begin(), modes.end(), [&](const auto& route) { return route.first == name; });
}

}  // namespace tessera::proxy
