// Fields that are about one connection and never travel further (RFC 9110 7.6.1).
#pragma once

#include <string_view>

#include "http/message.h"

namespace tessera::http {

// Connection and every field it names, Keep-Alive, Proxy-Connection, TE, Trailer, Transfer-Encoding,
// Upgrade; and Content-Length, which the sender of the next message sets itself.
void remove_hop_by_hop(Fields& fields);
// Of a response, the Upgrade that its status is about is kept.
void remove_hop_by_hop(ResponseHead& head);

}  // namespace tessera::http
