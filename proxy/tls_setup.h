// From the settings of TLS to the contexts that http/ takes.
#pragma once

#include <memory>

#include "config/settings.h"
#include "http/tls_client.h"
#include "http/tls_server.h"

namespace tessera::proxy {

// Null when there is no tls.address. These throw std::runtime_error with a sentence for the operator.
std::shared_ptr<http::ServerTls> make_server_tls(const config::TlsSettings& settings);
// Null when no origin is an https:// one.
std::shared_ptr<const http::ClientTls> make_client_tls(const config::OriginSettings& settings);

}  // namespace tessera::proxy
