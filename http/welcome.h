// What comes before a connection's first request: a PROXY header, a TLS handshake.
#pragma once

#include <string>

#include <boost/system/error_code.hpp>

#include "http/connection.h"
#include "http/server.h"

namespace tessera::http {

// Reads the PROXY header and shakes hands, as the options ask for. `peer_address` is the peer's at first, and
// the one that the header names afterwards. No error: requests follow. Error::plain_http: the client may be
// told in plain text; Error::tls_failed: it has been told by an alert; anything else: the connection is to be
// closed. Arguments outlive the call.
Task<boost::system::error_code> welcome(Connection& connection, const ServerOptions& options,
                                        std::string& peer_address);

}  // namespace tessera::http
