// The order matters: first the bytes (is_clean_head), then the request line, then the fields. Whatever is
// doubtful is refused: a lenient reading that differs from the origin's is how requests are smuggled.
#include "http/head_check.h"

#include <algorithm>
#include <charconv>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "http/octets.h"

namespace tessera::http {
namespace {

constexpr Refusal bad(std::string_view detail) {
  return {400, detail};
}

bool is_plain_host_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

bool is_target_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && byte != '#';
}

constexpr std::string_view kSpokenHere[] = {"h2c", "h2", "HTTP", "TLS"};

// "http://host:port/path?query" to "/path?query", with Host taken from its authority.
std::optional<Refusal> reduce_absolute_form(RequestHead& head) {
  const auto uri = boost::urls::parse_absolute_uri(head.target);
  if (!uri) return bad("The request target is not a valid URI.");
  const std::string_view scheme(uri->scheme().data(), uri->scheme().size());
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https")) {
    return bad("The scheme of the request target is not served here.");
  }
  if (!uri->has_authority()) return bad("The request target has no host.");
  const auto encoded = uri->encoded_authority();
  const std::string authority(encoded.data(), encoded.size());
  if (!is_host_value(authority)) return bad("The host of the request target is not valid.");
  const auto rest_at = head.target.find_first_of("/?", scheme.size() + 3);
  std::string origin_form;
  if (rest_at == std::string::npos) {
    origin_form += head.method == "OPTIONS" ? '*' : '/';  // RFC 9112 3.2.4
  } else {
    if (head.target[rest_at] == '?') origin_form += '/';
    origin_form.append(head.target, rest_at);
  }
  head.target = std::move(origin_form);
  head.fields.set("Host", authority);
  return std::nullopt;
}

// Letters, digits and hyphens: what every registered protocol's name is made of, and no quotes.
bool is_plain_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_plain_host_byte(c) && c != '.'; });
}

}  // namespace

bool is_clean_head(std::string_view head) {
  auto at = find_control(head);
  while (at != std::string_view::npos) {
    if (head[at] != '\t') {
      if (!head.substr(at).starts_with("\r\n")) return false;
      ++at;
      const char next = at + 1 < head.size() ? head[at + 1] : '\0';
      if (next == ' ' || next == '\t') return false;  // obs-fold
    }
    at = find_control(head, at + 1);
  }
  return true;
}

std::optional<unsigned> request_line_version(std::string_view head) {
  const auto line = head.substr(0, head.find('\r'));
  const auto space = line.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto version = line.substr(space + 1);
  const auto digit = [&](std::size_t i) { return version[i] >= '0' && version[i] <= '9'; };
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' || !digit(5) || !digit(7)) {
    return std::nullopt;
  }
  return static_cast<unsigned>((version[5] - '0') * 10 + (version[7] - '0'));
}

bool is_host_value(std::string_view value) {
  if (value.empty()) return false;
  const auto plain = static_cast<std::size_t>(
      std::find_if_not(value.begin(), value.end(), is_plain_host_byte) - value.begin());
  if (plain == value.size()) return true;
  // Most have a port.
  if (plain != 0 && value[plain] == ':' && parse_port(value.substr(plain + 1))) return true;
  // RFC 3986 allows these in a name; no name has them, and "a,b" is what two joined Host fields look like.
  if (value.find_first_of("!$&'()*+,;=") != std::string_view::npos) return false;
  // Nor does one hold an escape: "a%2Fb" or "a%0D%0Ab" would be a host to us, and more to who decodes it.
  if (value.find('%') != std::string_view::npos) return false;
  const auto authority = boost::urls::parse_authority({value.data(), value.size()});
  if (!authority || authority->has_userinfo() || authority->encoded_host().empty()) return false;
  // The grammar allows "host:" and a port of any length.
  return !authority->has_port() || authority->port().empty() ||
         parse_port({authority->port().data(), authority->port().size()});
}

std::optional<unsigned short> parse_port(std::string_view text) {
  unsigned short port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<std::uint64_t> parse_content_length(std::string_view text) {
  std::int64_t value = 0;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

bool read_framing(const Fields& fields, unsigned version, Framing& framing,
                  std::optional<std::uint64_t>& declared_length) {
  std::size_t codings = 0;
  bool chunked = false;
  for (const auto& line : fields) {
    if (equal_ignoring_case(line.name, "Content-Length")) {
      const auto length = parse_content_length(line.value);
      if (!length || (declared_length && *declared_length != *length)) return false;
      declared_length = length;
    } else if (equal_ignoring_case(line.name, "Transfer-Encoding")) {
      ++codings;
      chunked = equal_ignoring_case(line.value, "chunked");
    }
  }
  if (codings != 0) {
    // RFC 9112 6.1: no coding but one "chunked", never beside a length, never on HTTP/1.0.
    if (codings != 1 || !chunked || declared_length || version < 11) return false;
    framing = {Framing::Kind::chunked, 0};
  } else if (declared_length) {
    framing = {*declared_length == 0 ? Framing::Kind::none : Framing::Kind::length, *declared_length};
  }
  return true;
}

bool allows_keep_alive(const Fields& fields, unsigned version) {
  if (fields.has_token("Connection", "close")) return false;
  return version >= 11 || fields.has_token("Connection", "keep-alive");
}

std::string offered_protocols(const Fields& fields, unsigned version) {
  std::string offered;
  // An Upgrade of HTTP/1.0 is ignored (RFC 9110 7.8); so is one that is not for this connection.
  if (version < 11 || !fields.has("Upgrade") || !fields.has_token("Connection", "upgrade")) return offered;
  const auto listed = fields.joined("Upgrade");
  for (const auto protocol : list_elements(listed)) {
    const auto name = protocol.substr(0, protocol.find('/'));
    if (!is_plain_name(name) || equal_ignoring_case(name.substr(0, 3), "h2c")) continue;
    const bool spoken_here = std::any_of(std::begin(kSpokenHere), std::end(kSpokenHere),
                                         [&](auto other) { return equal_ignoring_case(name, other); });
    if (spoken_here) continue;
    if (!offered.empty()) offered += ", ";
    offered += protocol;
  }
  return offered;
}

std::optional<Refusal> check_target_and_host(RequestHead& head) {
  const auto hosts = head.fields.count("Host");
  if (hosts > 1) return bad("The request has more than one Host field.");
  if (hosts == 0 && head.version >= 11) return bad("The request has no Host field.");
  if (hosts == 1 && !is_host_value(*head.fields.get("Host"))) return bad("The Host field is not valid.");
  if (head.method == "CONNECT") return Refusal{501, "CONNECT is not supported."};
  if (!std::all_of(head.target.begin(), head.target.end(), is_target_byte)) {
    return bad("The request target holds a byte that is not allowed there.");
  }
  if (head.target.starts_with('/')) return std::nullopt;
  if (head.target == "*") {
    if (head.method == "OPTIONS") return std::nullopt;
    return bad("The target * is for OPTIONS only.");
  }
  return reduce_absolute_form(head);
}

}  // namespace tessera::http
