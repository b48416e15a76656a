// Fields that are about one connection and never travel further (RFC 9110 7.6.1). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace tessera::http {

// Connection, Keep-Alive, TE, Trailer, Transfer-Encoding, Upgrade, HTTP2-Settings, Expect, Proxy-Connection
// and what authenticates to a proxy; and Content-Length, which the sender of the next message sets itself.
bool is_hop_by_hop(std::string_view name);

// The further fields that the Connection of a message names. A nomination of a field that is meant for every
// recipient (Host, Authorization, Cookie, Set-Cookie, Cache-Control, Content-*, Forwarded, X-Forwarded-*,
// ...) is ignored, since Connection must never name one: a client could otherwise take away what says who is
// asking, or what a proxy in front has put in or decides by.
class Nominations {
 public:
  explicit Nominations(const Fields& fields);
  bool has(std::string_view name) const;

 private:
  std::vector<std::string> names_;  // lower-case, sorted
};

// Removes all of these.
void remove_hop_by_hop(Fields& fields);
// Of a response, the Upgrade that its status is about is kept.
void remove_hop_by_hop(ResponseHead& head);

}  // namespace tessera::http
