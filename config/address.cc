#include "config/address.h"

#include <algorithm>
#include <charconv>

namespace tessera::config {
namespace {

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_name_or_ipv4(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(),
                                      [](char c) { return is_alnum(c) || c == '.' || c == '-' || c == '_'; });
}

bool is_ipv6(std::string_view host) {
  return std::count(host.begin(), host.end(), ':') >= 2 &&
         std::all_of(host.begin(), host.end(), [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

std::optional<unsigned> parse_octet(std::string_view text) {
  unsigned value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || text.size() > 3 || error != std::errc() || stop != end || value > 255) {
    return std::nullopt;
  }
  return value;
}

bool is_ipv4_loopback(std::string_view host) {
  for (unsigned part = 0; part < 4; ++part) {
    const auto dot = host.find('.');
    const auto octet = parse_octet(host.substr(0, dot));
    if (!octet || (part == 0 && *octet != 127)) return false;
    if ((part == 3) != (dot == std::string_view::npos)) return false;
    host.remove_prefix(part == 3 ? host.size() : dot + 1);
  }
  return true;
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto bracket = text.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    host = text.substr(1, bracket - 1);
    rest = text.substr(bracket + 1);
    if (!is_ipv6(host)) return std::nullopt;
  } else {
    host = text.substr(0, text.find(':'));
    rest = text.substr(host.size());
    if (!is_name_or_ipv4(host)) return std::nullopt;
  }
  HostPort parsed;
  parsed.host = host;
  for (char& c : parsed.host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (rest.empty()) return parsed;
  if (rest.front() != ':') return std::nullopt;
  rest.remove_prefix(1);
  unsigned short port = 0;
  const auto* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, port);
  if (rest.empty() || error != std::errc() || stop != end) return std::nullopt;
  parsed.port = port;
  return parsed;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || is_ipv4_loopback(host);
}

bool is_wildcard(std::string_view host) {
  return host == "0.0.0.0" || host == "::";
}

}  // namespace tessera::config
