#include "proxy/max_forwards.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace tessera::proxy {
namespace {

constexpr std::string_view kMaxForwards = "Max-Forwards";
constexpr std::array<std::string_view, 6> kNotReflected{"Authorization", "Cookie", "Proxy-Authorization",
                                                        "Forwarded",     "Via",    "X-Request-Id"};

enum class Hops { any, none, some, malformed };

Hops hops_of(const http::Fields& fields, std::uint64_t& left) {
  const auto text = fields.get(kMaxForwards);
  if (!text) return Hops::any;
  if (fields.count(kMaxForwards) != 1) return Hops::malformed;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), left);
  if (error != std::errc() || end != text->data() + text->size()) return Hops::malformed;
  return left == 0 ? Hops::none : Hops::some;
}

bool is_reflected(std::string_view name) {
  for (const auto other : kNotReflected) {
    if (http::equal_ignoring_case(name, other)) return false;
  }
  for (const std::string_view part : {"key", "token", "auth", "secret", "session", "cookie", "forwarded"}) {
    const auto same = [](char a, char b) { return http::equal_ignoring_case({&a, 1}, {&b, 1}); };
    if (std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end()) return false;
  }
  return true;
}

http::Response reflection(const http::Request& request) {
  http::Response response;
  response.head.fields.set("Content-Type", "message/http");
  std::string text = request.head.method + ' ' + request.head.target;
  text += request.head.version == 10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  for (const auto& line : request.head.fields) {
    if (is_reflected(line.name)) text.append(line.name).append(": ").append(line.value).append("\r\n");
  }
  response.body = text + "\r\n";
  return response;
}

http::Response options() {
  http::Response response;
  response.head.status = 204;
  response.head.fields.set("Allow", kAllowedMethods);
  return response;
}

http::Response trace_refused() {
  auto refusal = http::problem(405, "TRACE is not passed on: it would show a request's credentials");
  refusal.head.fields.set("Allow", kAllowedMethods);
  return refusal;
}

}  // namespace

std::optional<http::Response> answered_here(const http::Request& request) {
  // Methods are told apart by case, but an origin that does not would reflect all the same.
  const bool trace = http::equal_ignoring_case(request.head.method, "TRACE");
  if (!trace && request.head.method != "OPTIONS") return std::nullopt;
  std::uint64_t left = 0;
  const auto hops = hops_of(request.head.fields, left);
  if (hops == Hops::malformed) return http::problem(400, "Max-Forwards is not a number");
  if (!trace && hops == Hops::none) return options();
  if (!trace) return std::nullopt;
  if (request.body->length() != 0) return http::problem(400, "a TRACE has no body");
  return hops == Hops::none ? reflection(request) : trace_refused();
}

void count_hop(http::RequestHead& head) {
  std::uint64_t left = 0;
  if (head.method != "OPTIONS" || hops_of(head.fields, left) != Hops::some) return;
  head.fields.set(kMaxForwards, std::to_string(left - 1));
}

}  // namespace tessera::proxy
