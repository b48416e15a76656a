#include "proxy/response_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "http/hop_by_hop.h"
#include "http/http_date.h"
#include "proxy/link_field.h"

namespace tessera::proxy {
namespace {

// RFC 9111 1.2.2: a recipient takes any larger number of seconds for this one.
constexpr std::int64_t kLargestSeconds = 2'147'483'648;

// They speak of the bytes of the manifest, of its age, or of the two requests that it answers.
constexpr std::array<std::string_view, 13> kManifestsOwn{
    "etag",
    "last-modified",
    "accept-ranges",
    "digest",
    "repr-digest",
    "want-digest",
    "want-repr-digest",
    "want-content-digest",
    "age",
    "vary",
    "date",
    "tessera-revision",
    "warning",
};
// Named Content-*, but about the resource's policy and not about the bytes.
constexpr std::array<std::string_view, 2> kPolicies{"content-security-policy",
                                                    "content-security-policy-report-only"};

template <std::size_t Count>
bool is_one_of(std::string_view name, const std::array<std::string_view, Count>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view other) { return http::equal_ignoring_case(name, other); });
}

bool is_content_field(std::string_view name) {
  constexpr std::string_view kPrefix = "content-";
  return name.size() >= kPrefix.size() && http::equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix);
}

bool is_dropped(std::string_view name) {
  return is_one_of(name, kManifestsOwn) || (is_content_field(name) && !is_one_of(name, kPolicies));
}

// delta-seconds (RFC 9111 1.2.2).
std::optional<std::int64_t> parse_seconds(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc()) return kLargestSeconds;
  return std::min(seconds, kLargestSeconds);
}

// What one freshness directive says: unset when it is absent; 0 when it cannot be read or contradicts itself.
void take_freshness(std::optional<std::int64_t>& freshness, std::optional<std::string_view> argument) {
  if (argument && argument->size() >= 2 && argument->front() == '"' && argument->back() == '"') {
    argument = argument->substr(1, argument->size() - 2);  // RFC 9111 5.2: both forms are accepted
  }
  const auto seconds = argument ? parse_seconds(*argument) : std::nullopt;
  freshness = seconds && (!freshness || *freshness == *seconds) ? *seconds : 0;
}

}  // namespace

http::Fields client_fields(const http::Fields& manifest_fields, std::string_view manifest_path,
                           std::string_view collection_path) {
  const http::Nominations nominations(manifest_fields);
  http::Fields kept;
  kept.reserve(manifest_fields.size());
  for (const auto& line : manifest_fields) {
    if (is_dropped(line.name) || http::is_hop_by_hop(line.name) || nominations.has(line.name)) continue;
    if (manifest_path != collection_path && http::equal_ignoring_case(line.name, "Link")) {
      kept.add(line.name, rewrite_links(line.value, manifest_path, collection_path));
    } else {
      kept.add(line.name, line.value);
    }
  }
  return kept;
}

std::string merged_vary(const http::Fields& manifest_fields, const std::vector<std::string>& records_vary) {
  std::vector<std::string_view> names;
  const std::string manifest_vary = manifest_fields.joined("Vary");
  const auto add = [&](std::string_view name) {
    const auto is_same = [&](std::string_view other) { return http::equal_ignoring_case(other, name); };
    if (std::none_of(names.begin(), names.end(), is_same)) names.push_back(name);
  };
  for (const auto name : http::list_elements(manifest_vary)) add(name);
  for (const auto& name : records_vary) add(name);
  add("Accept-Encoding");
  if (std::find(names.begin(), names.end(), "*") != names.end()) return "*";
  std::string merged;
  for (const auto name : names) {
    if (!merged.empty()) merged += ", ";
    merged += name;
  }
  return merged;
}

std::vector<std::string> vary_names(const http::Fields& fields) {
  std::vector<std::string> names;
  const std::string list = fields.joined("Vary");
  for (const auto name : http::list_elements(list)) names.push_back(http::lower_case(name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::chrono::seconds manifest_freshness(const http::Fields& fields) {
  constexpr std::chrono::seconds kAskEveryTime{0};
  std::optional<std::int64_t> max_age;
  std::optional<std::int64_t> shared_max_age;
  const std::string list = fields.joined("Cache-Control");
  for (const auto directive : http::list_elements(list)) {
    const auto equals = directive.find('=');
    const std::string name =
        http::lower_case(directive.substr(0, std::min(directive.find_first_of(" \t="), directive.size())));
    if (name == "no-cache" || name == "no-store") return kAskEveryTime;
    std::optional<std::string_view> argument;
    // White space around '=' is not allowed; the argument then does not read as a number.
    if (equals != std::string_view::npos && equals == name.size()) argument = directive.substr(equals + 1);
    if (name == "max-age") take_freshness(max_age, argument);
    if (name == "s-maxage") take_freshness(shared_max_age, argument);
  }
  const std::int64_t lifetime = shared_max_age ? *shared_max_age : max_age.value_or(0);
  // A cache in between may have kept the manifest for a while already (RFC 9111 4.2.3).
  const auto age = fields.has("Age") ? parse_seconds(fields.joined("Age")) : 0;
  if (!age || *age >= lifetime) return kAskEveryTime;
  return std::chrono::seconds(lifetime - *age);
}

std::optional<std::chrono::system_clock::time_point> http_date(const http::Fields& fields,
                                                               std::string_view name) {
  if (fields.count(name) != 1) return std::nullopt;
  return http::parse_http_date(*fields.get(name));
}

}  // namespace tessera::proxy
