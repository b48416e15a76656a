// How many connections each client has open.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tessera::http {

// Thread-safe. A client is an IPv4 address, or the first 64 bits of an IPv6 one: a single host has as many of
// those as it likes. Memory: one entry for each client that has a connection.
class PeerCounts {
 public:
  explicit PeerCounts(std::size_t limit) : limit_(limit) {}

  // False: the client has as many connections as it may; else leave() is to follow.
  bool enter(std::string_view address);
  void leave(std::string_view address);

 private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> counts_;  // protected by mutex_
};

// Counts a connection as its client's for as long as it is there.
class PeerEntry {
 public:
  // `counts` may be null: there is no limit.
  PeerEntry(std::shared_ptr<PeerCounts> counts, const std::string& address);
  ~PeerEntry();
  PeerEntry(const PeerEntry&) = delete;
  PeerEntry& operator=(const PeerEntry&) = delete;

  bool entered() const { return entered_; }  // false: the connection is to be closed

 private:
  const std::shared_ptr<PeerCounts> counts_;
  const std::string address_;
  bool entered_ = true;
};

}  // namespace tessera::http
