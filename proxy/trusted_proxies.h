// Which peers are proxies of ours, and whom they speak for. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/network.h"
#include "http/fields.h"

namespace tessera::proxy {

// Immutable.
class TrustedProxies {
 public:
  // REQUIRED: each reads as config::parse_network.
  explicit TrustedProxies(const std::vector<std::string>& networks);

  bool contains(std::string_view address) const;
  // The address of the client that a request of a trusted peer comes from: the last of X-Forwarded-For that
  // is no trusted proxy itself, for only that one was written by one of ours. Where all of them are trusted
  // the first; "" when the field names nobody. An element that is no address ends the search.
  std::string client_of(const http::Fields& fields) const;

 private:
  std::vector<config::Network> networks_;
};

}  // namespace tessera::proxy
