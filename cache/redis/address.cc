#include "cache/redis/address.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tessera::cache::redis {
namespace {

using Parsed = boost::system::result<Address, std::string>;

constexpr std::size_t kLongestSocketPath = 107;  // sockaddr_un::sun_path with its end
constexpr unsigned kLargestDatabase = 1'000'000;

template <class Number>
std::optional<Number> parse_number(std::string_view text, Number largest) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number > largest) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned char byte = 0;
    const auto digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

// Takes "user:password@" off the front of `rest` when it is there. The error is a sentence, "" when all is
// well.
std::string take_credentials(std::string_view& rest, Address& address) {
  const auto at = rest.substr(0, rest.find('/')).rfind('@');
  if (at == std::string_view::npos) return "";
  const auto credentials = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  const auto colon = credentials.find(':');
  if (colon == std::string_view::npos || colon + 1 == credentials.size()) {
    return "a Redis address with '@' needs a password: \"redis://:PASSWORD@host\" or "
           "\"redis://USER:PASSWORD@host\"";
  }
  const auto user = percent_decode(credentials.substr(0, colon));
  const auto password = percent_decode(credentials.substr(colon + 1));
  if (!user || !password) {
    return "user and password of a Redis address are percent-encoded: write '%' itself as \"%25\"";
  }
  address.user = *user;
  address.password = *password;
  return "";
}

bool is_host(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

bool is_ipv6(std::string_view host) {
  return host.find(':') != std::string_view::npos && std::ranges::all_of(host, [](char c) {
           return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == '.' ||
                  c == ':';
         });
}

std::string take_host_and_port(std::string_view authority, Address& address) {
  auto host = authority;
  std::string_view port;
  bool has_port = false;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos || !is_ipv6(authority.substr(1, close - 1))) {
      return "the IPv6 address in a Redis address stands in brackets, as in \"redis://[::1]:6379\"";
    }
    host = authority.substr(1, close - 1);
    const auto after = authority.substr(close + 1);
    has_port = after.starts_with(':');
    if (has_port) port = after.substr(1);
    if (!has_port && !after.empty()) return "after the ']' of a Redis address only \":PORT\" may follow";
  } else {
    const auto colon = authority.find(':');
    host = authority.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = authority.substr(colon + 1);
    if (!is_host(host)) {
      return "a Redis address needs a host name or IP address, as in \"redis://127.0.0.1:6379\"";
    }
  }
  address.host = std::string(host);
  if (!has_port) return "";
  const auto number = parse_number<unsigned>(port, 65'535);
  if (!number || *number == 0) return "the port of a Redis address is a number from 1 to 65535";
  address.port = static_cast<std::uint16_t>(*number);
  return "";
}

std::string take_database(std::string_view text, Address& address) {
  const auto number = parse_number<unsigned>(text, kLargestDatabase);
  if (!number) return "the database of a Redis address is a number, as in \"redis://127.0.0.1:6379/0\"";
  address.database = *number;
  return "";
}

Parsed parse_network(std::string_view rest, Address address) {
  if (auto fault = take_credentials(rest, address); !fault.empty()) return fault;
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return std::string(
        "a Redis address has no '?' or '#'; the database follows the port: \"redis://host:6379/0\"");
  }
  const auto slash = rest.find('/');
  if (auto fault = take_host_and_port(rest.substr(0, slash), address); !fault.empty()) return fault;
  if (slash != std::string_view::npos && slash + 1 < rest.size()) {
    if (auto fault = take_database(rest.substr(slash + 1), address); !fault.empty()) return fault;
  }
  return address;
}

Parsed parse_unix(std::string_view rest, Address address) {
  if (auto fault = take_credentials(rest, address); !fault.empty()) return fault;
  const auto question = rest.find('?');
  const auto path = percent_decode(rest.substr(0, question));
  if (!path) {
    return std::string("the path of a Redis address is percent-encoded: write '%' itself as \"%25\"");
  }
  if (!path->starts_with('/')) {
    return std::string(
        "a unix socket's address has an absolute path, as in \"unix:///run/redis/redis.sock\"");
  }
  if (path->size() > kLongestSocketPath || path->find('\0') != std::string::npos) {
    return std::string("the path of a unix socket has at most 107 bytes and no NUL");
  }
  address.path = *path;
  if (question != std::string_view::npos) {
    const auto query = rest.substr(question + 1);
    if (!query.starts_with("db=")) {
      return std::string("a unix socket's address knows only \"?db=NUMBER\" after the path");
    }
    if (auto fault = take_database(query.substr(3), address); !fault.empty()) return fault;
  }
  return address;
}

}  // namespace

Parsed parse_address(std::string_view text) {
  const auto colon = text.find("://");
  const auto scheme = text.substr(0, colon);
  Address address;
  if (colon == std::string_view::npos || (scheme != "redis" && scheme != "rediss" && scheme != "unix")) {
    return std::string(
        "a Redis address starts with \"redis://\", \"rediss://\" (TLS) or \"unix://\", as in "
        "\"redis://127.0.0.1:6379\"");
  }
  const auto rest = text.substr(colon + 3);
  if (scheme == "unix") {
    address.kind = Address::Kind::unix_socket;
    return parse_unix(rest, std::move(address));
  }
  address.kind = scheme == "rediss" ? Address::Kind::tls : Address::Kind::tcp;
  return parse_network(rest, std::move(address));
}

std::string to_string(const Address& address) {
  if (address.kind == Address::Kind::unix_socket) {
    return "unix://" + address.path +
           (address.database == 0 ? "" : "?db=" + std::to_string(address.database));
  }
  const bool bracketed = address.host.find(':') != std::string::npos;
  return (address.kind == Address::Kind::tls ? "rediss://" : "redis://") +
         (bracketed ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port) +
         (address.database == 0 ? "" : "/" + std::to_string(address.database));
}

}  // namespace tessera::cache::redis
