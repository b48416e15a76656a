// Names are compared the way CGI-like servers see them: they map every byte that is neither letter nor digit
// to one and the same character, so that X_Forwarded_For reaches an application as X-Forwarded-For does.
#include "proxy/forwarding.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "config/network.h"
#include "http/hop_by_hop.h"
#include "proxy/max_forwards.h"

namespace tessera::proxy {
namespace {

using Names = std::span<const std::string_view>;

// What a client claims about itself or its request. Some of these make frameworks take another path or method
// than the one that was matched; Proxy becomes HTTP_PROXY under CGI (CVE-2016-5385).
constexpr std::array<std::string_view, 17> kClaims{
    "forwarded",
    "x-original-url",
    "x-rewrite-url",
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
    "proxy",
    "x-real-ip",
    "client-ip",
    "x-client-ip",
    "true-client-ip",
    "x-cluster-client-ip",
    "x-original-uri",
    "x-original-method",
    "x-original-host",
    "x-host",
    "x-http-host-override",
};
constexpr std::string_view kClaimPrefix = "x-forwarded";
constexpr std::string_view kPlain = "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Of these claims: what makes another request of it.
constexpr std::array<std::string_view, 5> kOverrides{
    "x-original-url", "x-rewrite-url", "x-http-method-override", "x-http-method", "x-method-override"};

constexpr std::array<std::string_view, 5> kCarried{"authorization", "cookie", "host", "accept-language",
                                                   "origin"};
// Sent with every carried request, with a value that depends on nothing else than what is carried.
constexpr std::array<std::string_view, 4> kSetForAll{"accept", "accept-encoding", "x-forwarded-proto",
                                                     "x-forwarded-host"};

// A name as CGI-like servers see it.
std::string seen_by_cgi(std::string_view name) {
  std::string seen = http::lower_case(name);
  for (char& c : seen) {
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) c = '-';
  }
  return seen;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && http::equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

bool is_one_of(std::string_view name, Names names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view other) { return http::equal_ignoring_case(name, other); });
}

bool is_claim(std::string_view name) {
  if (name.find_first_of("xfpctXFPCT") != 0) return false;
  const auto seen = seen_by_cgi(name);
  return seen.starts_with(kClaimPrefix) || is_one_of(seen, kClaims);
}

// "Transfer_Encoding": CGI and its like make HTTP_TRANSFER_ENCODING of it, as of the real one.
bool is_framing_in_disguise(std::string_view name) {
  if (name.find('_') == std::string_view::npos) return false;
  const auto seen = seen_by_cgi(name);
  return seen == "transfer-encoding" || seen == "content-length" || seen == "x-request-id";
}

// A token as it is, anything else as a quoted string (RFC 9110 5.6.4).
void append_value(std::string& out, std::string_view value) {
  if (http::is_token(value)) {
    out += value;
    return;
  }
  out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

std::string_view own_protocol(const http::Request& request) {
  return request.tls ? "https" : "http";
}

std::string_view own_host(const http::Request& request) {
  return request.head.fields.get("Host").value_or("");
}

// The one line of a field that a trusted peer has sent; unset when it may not say so, or says it twice.
std::optional<std::string_view> told(const http::Request& request, std::string_view name) {
  if (!request.trusted || request.head.fields.count(name) != 1) return std::nullopt;
  return request.head.fields.get(name);
}

// Scheme and host as the client used them.
std::string_view protocol(const http::Request& request) {
  const auto list = told(request, "X-Forwarded-Proto");
  if (list) {  // of several hops the first is the client's
    const auto hops = http::list_elements(*list);
    const std::string_view proto = hops.empty() ? std::string_view() : hops.front();
    if (http::equal_ignoring_case(proto, "https")) return "https";
    if (http::equal_ignoring_case(proto, "http")) return "http";
  }
  return own_protocol(request);
}

std::string_view host(const http::Request& request) {
  const auto host = told(request, "X-Forwarded-Host");
  return host && !host->empty() ? *host : own_host(request);
}

// An IPv6 zone means something to this machine only.
std::string_view peer(const http::Request& request) {
  const std::string_view address = request.peer_address;
  return address.empty() ? "unknown" : address.substr(0, address.find('%'));
}

// What stands before our own part of a list that each proxy extends.
std::string before(std::string list) {
  if (!list.empty()) list += ", ";
  return list;
}

std::string forwarded_for(const http::Request& request) {
  if (!request.trusted) return std::string(peer(request));
  return before(request.head.fields.joined("X-Forwarded-For")).append(peer(request));
}

// One element of Forwarded (RFC 7239 4); without `node` none of `for`.
std::string forwarded_element(std::string_view node, std::string_view host, std::string_view proto) {
  std::string element;
  if (!node.empty()) {
    const bool is_bare_v6 = node.find(':') != std::string_view::npos && config::parse_ip(node);
    element += "for=";
    append_value(element, is_bare_v6 ? '[' + std::string(node) + ']' : std::string(node));
    element += ';';
  }
  if (!host.empty()) {
    element += "host=";
    append_value(element, host);
    element += ';';
  }
  element += "proto=";
  element += proto;
  return element;
}

// Ours behind what a trusted peer says. One that writes X-Forwarded-For is translated (RFC 7239 7.4): the
// first element is the client's, with the scheme and the host that it used. Its Forwarded counts only
// without: such a proxy passes on whatever Forwarded its client made up.
std::string forwarded(const http::Request& request) {
  const auto own = forwarded_element(peer(request), own_host(request), own_protocol(request));
  if (!request.trusted) return own;
  const std::string nodes = request.head.fields.joined("X-Forwarded-For");
  std::string list = nodes.empty() ? request.head.fields.joined("Forwarded") : std::string();
  if (!nodes.empty()) {
    for (const auto node : http::list_elements(nodes)) {
      const bool is_first = list.empty();
      list = before(std::move(list));
      if (is_first) {
        list += forwarded_element(node, host(request), protocol(request));
      } else {
        list += "for=";
        const bool is_bare_v6 = node.find(':') != std::string_view::npos && config::parse_ip(node);
        append_value(list, is_bare_v6 ? '[' + std::string(node) + ']' : std::string(node));
      }
    }
  }
  return before(std::move(list)) + own;
}

void set_scheme_and_host(http::Fields& fields, const http::Request& request) {
  fields.set("X-Forwarded-Proto", protocol(request));
  const auto name = host(request);
  if (!name.empty()) fields.set("X-Forwarded-Host", name);
}

bool lists(const std::vector<std::string>& vary, std::string_view name) {
  return std::any_of(vary.begin(), vary.end(),
                     [&](const std::string& other) { return http::equal_ignoring_case(other, name); });
}

// A field of `vary` that is copied from the client's request. What frames a message, selects a part of it or
// makes it conditional is ours to say in a request of our own.
bool is_copied(std::string_view name) {
  return !is_one_of(name, kCarried) && !is_one_of(name, kSetForAll) && !http::is_hop_by_hop(name) &&
         !is_claim(name) && !starts_with_ignoring_case(name, "content-") &&
         !starts_with_ignoring_case(name, "if-") && !http::equal_ignoring_case(name, "range") &&
         !http::equal_ignoring_case(name, "via");
}

// Calls visit(name, is_there) for each field that is copied, in an order that depends on `vary` only. A field
// that Connection nominates counts as absent.
template <class Visit>
void for_each_copied(const http::Request& request, const std::vector<std::string>& vary, Visit visit) {
  for (const auto name : kCarried) visit(name, true);
  if (vary.empty()) return;
  const http::Nominations nominations(request.head.fields);
  for (auto name = vary.begin(); name != vary.end(); ++name) {
    const auto is_same = [&](const std::string& other) { return http::equal_ignoring_case(other, *name); };
    if (std::any_of(vary.begin(), name, is_same) || !is_copied(*name)) continue;
    visit(std::string_view(*name), !nominations.has(*name));
  }
}

void append_number(std::string& key, std::size_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) key += static_cast<char>((number >> shift) & 0xFF);
}

void append_part(std::string& key, std::string_view part) {
  append_number(key, part.size());
  key += part;
}

}  // namespace

void add_forwarded(http::Fields& fields, const http::Request& request) {
  fields.remove_if([&](std::string_view name) {
    if (!is_claim(name)) return false;
    // A trusted peer's own fields are in the usual spelling; another is a client's that it let through.
    return !request.trusted || name.find_first_not_of(kPlain) != std::string_view::npos ||
           http::equal_ignoring_case(name, "proxy");
  });
  fields.set("X-Forwarded-For", forwarded_for(request));
  set_scheme_and_host(fields, request);
  fields.set("Forwarded", forwarded(request));
}

void add_via(http::Fields& fields, unsigned version) {
  std::string list = fields.joined("Via");
  if (!list.empty()) list += ", ";
  fields.set("Via", list + (version == 10 ? "1.0 tessera" : "1.1 tessera"));
}

http::RequestHead forwarded_head(const http::Request& request) {
  http::RequestHead head = request.head;
  head.version = 11;
  const bool takes_trailers = head.fields.has_token("TE", "trailers");
  http::remove_hop_by_hop(head.fields);
  if (takes_trailers) head.fields.set("TE", "trailers");  // of the codings that it may list we know none
  count_hop(head);
  head.fields.remove_if(is_framing_in_disguise);
  add_forwarded(head.fields, request);
  add_via(head.fields, request.head.version);
  if (!request.id.empty()) head.fields.set("X-Request-Id", request.id);
  return head;
}

bool is_overridden(const http::Request& request) {
  return request.trusted &&
         std::any_of(request.head.fields.begin(), request.head.fields.end(),
                     [](const http::Field& field) { return is_one_of(field.name, kOverrides); });
}

http::RequestHead carried_head(const http::Request& request, const std::vector<std::string>& vary,
                               std::string target) {
  http::RequestHead head;
  head.target = std::move(target);
  for_each_copied(request, vary, [&](std::string_view name, bool is_there) {
    for (const auto& line : request.head.fields) {
      if (is_there && http::equal_ignoring_case(line.name, name)) head.fields.add(line.name, line.value);
    }
  });
  head.fields.set("Accept-Encoding", "identity");
  if (lists(vary, "x-forwarded-for")) head.fields.set("X-Forwarded-For", forwarded_for(request));
  set_scheme_and_host(head.fields, request);
  head.fields.set("Forwarded", lists(vary, "forwarded")
                                   ? forwarded(request)
                                   : forwarded_element("", host(request), protocol(request)));
  add_via(head.fields, 11);
  return head;
}

std::string carried_key(const http::Request& request, const std::vector<std::string>& vary) {
  std::string key;
  // A field that is there twice differs from one whose value holds both: the number of lines joins.
  for_each_copied(request, vary, [&](std::string_view name, bool is_there) {
    append_number(key, is_there ? request.head.fields.count(name) : 0);
    for (const auto& line : request.head.fields) {
      if (is_there && http::equal_ignoring_case(line.name, name)) append_part(key, line.value);
    }
  });
  key += protocol(request) == "https" ? '\1' : '\0';
  if (request.trusted && host(request) != own_host(request)) append_part(key, host(request));
  if (lists(vary, "x-forwarded-for")) append_part(key, forwarded_for(request));
  if (lists(vary, "forwarded")) append_part(key, forwarded(request));
  return key;
}

bool is_carried(std::string_view name, const std::vector<std::string>& vary) {
  if (is_one_of(name, kCarried) || is_one_of(name, kSetForAll)) return true;
  return lists(vary, name) && (is_copied(name) || is_claim(name));
}

}  // namespace tessera::proxy
