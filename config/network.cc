#include "config/network.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>
#include <string>

namespace tessera::config {
namespace {

constexpr std::size_t kLongest = 45;    // INET6_ADDRSTRLEN without its end
constexpr unsigned kMappedPrefix = 96;  // ::ffff:0:0/96

bool has_bits_behind(const Network& network) {
  for (unsigned bit = network.prefix; bit < 128; ++bit) {
    if ((network.address[bit / 8] >> (7 - bit % 8) & 1) != 0) return true;
  }
  return false;
}

}  // namespace

std::optional<AddressBytes> parse_ip(std::string_view text) {
  text = text.substr(0, text.find('%'));
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  char terminated[kLongest + 1] = {};
  std::copy(text.begin(), text.end(), terminated);
  if (std::strlen(terminated) != text.size()) return std::nullopt;
  AddressBytes bytes{};
  if (text.find(':') != std::string_view::npos) {
    if (::inet_pton(AF_INET6, terminated, bytes.data()) != 1) return std::nullopt;
    return bytes;
  }
  bytes[10] = bytes[11] = 0xFF;
  if (::inet_pton(AF_INET, terminated, bytes.data() + 12) != 1) return std::nullopt;
  return bytes;
}

bool Network::contains(const AddressBytes& other) const {
  const unsigned whole = prefix / 8;
  if (!std::equal(address.begin(), address.begin() + whole, other.begin())) return false;
  const unsigned rest = prefix % 8;
  return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0;
}

std::optional<Network> parse_network(std::string_view text) {
  const auto slash = text.find('/');
  const auto host = text.substr(0, slash);
  if (host.find('%') != std::string_view::npos) return std::nullopt;
  const auto address = parse_ip(host);
  if (!address) return std::nullopt;
  Network network{*address, 128};
  if (slash == std::string_view::npos) return network;
  const auto digits = text.substr(slash + 1);
  const auto* end = digits.data() + digits.size();
  const bool is_v4 = host.find(':') == std::string_view::npos;
  unsigned prefix = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, prefix);
  if (error != std::errc() || stop != end || digits.size() > 3 || prefix > (is_v4 ? 32u : 128u))
    return std::nullopt;
  network.prefix = is_v4 ? kMappedPrefix + prefix : prefix;
  if (has_bits_behind(network)) return std::nullopt;
  return network;
}

}  // namespace tessera::config
