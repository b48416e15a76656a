#include "http/proxy_protocol.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>
#include <sys/socket.h>

#include "config/network.h"
#include "http/head_check.h"

namespace tessera::http {
namespace {

constexpr std::string_view kText = "PROXY ";
constexpr std::string_view kBinary("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kLongestText = 107;  // CRLF included
constexpr std::size_t kBinaryHead = 16;    // of version 2: signature, command, family, length

bool is_beginning(std::string_view bytes, std::string_view of) {
  return bytes.substr(0, of.size()) == of.substr(0, bytes.size());
}

// "" when there is no word left, or two blanks stand where one should.
std::string_view take_word(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

bool is_port(std::string_view text) {
  return parse_port(text) && (text.size() == 1 || text.front() != '0');
}

// In the form that a socket's own peer has; nullopt when it is no address of that family.
std::optional<std::string> canonical(std::string_view text, int family) {
  const bool is_v6 = text.find(':') != std::string_view::npos;
  if (is_v6 != (family == AF_INET6) || text.find('%') != std::string_view::npos) return std::nullopt;
  const auto bytes = config::parse_ip(text);
  if (!bytes) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> out{};
  inet_ntop(family, bytes->data() + (is_v6 ? 0 : 12), out.data(), out.size());
  return std::string(out.data());
}

// Everything behind "PROXY " but CRLF. Nothing when it is invalid, "" when it names nobody.
std::optional<std::string> read_text_line(std::string_view line) {
  const auto family = take_word(line);
  if (family == "UNKNOWN") return std::string();
  if (family != "TCP4" && family != "TCP6") return std::nullopt;
  const int kind = family == "TCP4" ? AF_INET : AF_INET6;
  auto source = canonical(take_word(line), kind);
  const auto destination = canonical(take_word(line), kind);
  const auto source_port = take_word(line);
  const bool ports = is_port(source_port) && is_port(line);
  if (!source || !destination || !ports) return std::nullopt;
  return source;
}

ProxyVerdict parse_text(std::string_view bytes, ProxyHeader& header) {
  const auto end = bytes.substr(0, kLongestText).find("\r\n");
  if (end == std::string_view::npos) {
    return bytes.size() < kLongestText ? ProxyVerdict::incomplete : ProxyVerdict::invalid;
  }
  auto address = read_text_line(bytes.substr(kText.size(), end - kText.size()));
  if (!address) return ProxyVerdict::invalid;
  header.size = end + 2;
  header.address = std::move(*address);
  return ProxyVerdict::complete;
}

std::size_t number_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
         static_cast<unsigned char>(bytes[at + 1]);
}

// Type, length, value; one after the other to the end.
bool are_values(std::string_view bytes) {
  while (!bytes.empty()) {
    if (bytes.size() < 3) return false;
    const auto size = 3 + number_at(bytes, 1);
    if (bytes.size() < size) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::optional<std::string> read_addresses(unsigned char family, std::string_view block) {
  std::size_t size = 0;  // of the source's and the destination's address and port
  int kind = AF_UNSPEC;
  switch (family) {
    case 0x00:  // unspecified: whatever follows is to be skipped
      return std::string();
    case 0x11:  // TCP over IPv4
      size = 12;
      kind = AF_INET;
      break;
    case 0x21:  // TCP over IPv6
      size = 36;
      kind = AF_INET6;
      break;
    case 0x31:  // a unix stream socket
      size = 216;
      break;
    default:  // datagrams, and what the specification keeps for later
      return std::nullopt;
  }
  if (block.size() < size || !are_values(block.substr(size))) return std::nullopt;
  if (kind == AF_UNSPEC) return std::string();
  std::array<char, INET6_ADDRSTRLEN> out{};
  inet_ntop(kind, block.data(), out.data(), out.size());
  return std::string(out.data());
}

ProxyVerdict parse_binary(std::string_view bytes, ProxyHeader& header) {
  if (bytes.size() < kBinaryHead) return ProxyVerdict::incomplete;
  const auto command = static_cast<unsigned char>(bytes[12]);
  const auto size = kBinaryHead + number_at(bytes, 14);
  const bool is_local = command == 0x20;
  if ((!is_local && command != 0x21) || size > kLongestProxyHeader) return ProxyVerdict::invalid;
  if (bytes.size() < size) return ProxyVerdict::incomplete;
  std::optional<std::string> address = std::string();
  if (!is_local) {
    address =
        read_addresses(static_cast<unsigned char>(bytes[13]), bytes.substr(kBinaryHead, size - kBinaryHead));
  }
  if (!address) return ProxyVerdict::invalid;
  header.size = size;
  header.address = std::move(*address);
  return ProxyVerdict::complete;
}

}  // namespace

ProxyVerdict parse_proxy_header(std::string_view bytes, ProxyHeader& header) {
  if (is_beginning(bytes, kText)) {
    return bytes.size() < kText.size() ? ProxyVerdict::incomplete : parse_text(bytes, header);
  }
  if (is_beginning(bytes, kBinary)) {
    return bytes.size() < kBinary.size() ? ProxyVerdict::incomplete : parse_binary(bytes, header);
  }
  return ProxyVerdict::invalid;
}

}  // namespace tessera::http
