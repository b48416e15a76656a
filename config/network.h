// An address or a network in CIDR notation (RFC 4632, RFC 4291 2.3). Pure.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tessera::config {

// IPv4 stands as IPv4-mapped IPv6 (RFC 4291 2.5.5.2), so that both forms of an address are one.
using AddressBytes = std::array<unsigned char, 16>;

// "192.0.2.7", "::1", "::ffff:192.0.2.7"; an IPv6 zone ("%eth0") is not looked at. nullopt: no address.
std::optional<AddressBytes> parse_ip(std::string_view text);

struct Network {
  AddressBytes address{};
  unsigned prefix = 128;  // bits of `address` that count

  bool contains(const AddressBytes& other) const;
};

// "10.0.0.0/8", "fd00::/8"; without a prefix the one address. Bits behind the prefix must be zero.
std::optional<Network> parse_network(std::string_view text);

}  // namespace tessera::config
