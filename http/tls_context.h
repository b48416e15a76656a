// What both sides of TLS set alike: versions, ciphers, and OpenSSL's causes as sentences.
#pragma once

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace tessera::http {

struct SslContextFree {
  void operator()(ssl_ctx_st* context) const;
};
using SslContextPtr = std::unique_ptr<ssl_ctx_st, SslContextFree>;

enum class TlsSide { server, client };

// TLS 1.2 with forward secrecy and authenticated encryption only (Mozilla's "intermediate"), TLS 1.3 as
// OpenSSL has it; no renegotiation, no compression. `minimum` is "1.2" or "1.3".
SslContextPtr make_tls_context(TlsSide side, const std::string& minimum = "1.2");

// Loads a chain (the server's own certificate first) and its private key, both in PEM form. Throws
// std::runtime_error with a sentence that names the file and the cause, as when the key belongs to another
// certificate.
void use_certificate(ssl_ctx_st& context, const std::string& chain_file, const std::string& key_file);

// Throws std::runtime_error as above.
void use_authorities(ssl_ctx_st& context, const std::string& file);

// Why OpenSSL's last call failed; empties its queue.
std::string take_tls_cause();

}  // namespace tessera::http
