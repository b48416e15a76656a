#include "http/peer_counts.h"

#include <arpa/inet.h>
#include <cstring>
#include <utility>

#include <spdlog/spdlog.h>

namespace tessera::http {
namespace {

// What is counted as one client.
std::string client_of(std::string_view address) {
  std::string text(address.substr(0, address.find('%')));
  in6_addr bytes{};
  if (::inet_pton(AF_INET6, text.c_str(), &bytes) != 1) return text;
  // ::ffff:a.b.c.d is the IPv4 address: a client may come both ways.
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    char v4[INET_ADDRSTRLEN];
    return ::inet_ntop(AF_INET, &bytes.s6_addr[12], v4, sizeof v4);
  }
  return {reinterpret_cast<const char*>(&bytes), 8};
}

}  // namespace

bool PeerCounts::enter(std::string_view address) {
  auto client = client_of(address);
  const std::lock_guard lock(mutex_);
  auto& count = counts_[std::move(client)];
  if (count >= limit_) return false;
  ++count;
  return true;
}

void PeerCounts::leave(std::string_view address) {
  const auto client = client_of(address);
  const std::lock_guard lock(mutex_);
  const auto at = counts_.find(client);
  if (at != counts_.end() && --at->second == 0) counts_.erase(at);
}

PeerEntry::PeerEntry(std::shared_ptr<PeerCounts> counts, const std::string& address)
    : counts_(std::move(counts)), address_(counts_ ? address : std::string()) {
  if (!counts_) return;
  entered_ = counts_->enter(address_);
  if (!entered_) spdlog::debug("{} has as many connections as it may", address_);
}

PeerEntry::~PeerEntry() {
  if (counts_ && entered_) counts_->leave(address_);
}

}  // namespace tessera::http
