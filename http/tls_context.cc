#include "http/tls_context.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace tessera::http {
namespace {

constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kGroups = "X25519:P-256:P-384";

[[noreturn]] void fail(const std::string& what, const std::string& file) {
  throw std::runtime_error(what + " \"" + file + "\": " + take_tls_cause());
}

// A program in the background has nobody to ask: a key that is encrypted is an error.
int no_passphrase(char*, int, int, void*) {
  return 0;
}

}  // namespace

void SslContextFree::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

SslContextPtr make_tls_context(TlsSide side, const std::string& minimum) {
  SslContextPtr made(SSL_CTX_new(side == TlsSide::server ? TLS_server_method() : TLS_client_method()));
  if (!made) throw std::runtime_error("OpenSSL makes no TLS context: " + take_tls_cause());
  SSL_CTX_set_min_proto_version(made.get(), minimum == "1.3" ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_options(made.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_default_passwd_cb(made.get(), no_passphrase);
  if (SSL_CTX_set_cipher_list(made.get(), kCiphers) != 1 ||
      SSL_CTX_set1_groups_list(made.get(), kGroups) != 1) {
    throw std::runtime_error("this OpenSSL has none of the wanted TLS ciphers: " + take_tls_cause());
  }
  return made;
}

void use_certificate(ssl_ctx_st& context, const std::string& chain_file, const std::string& key_file) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(&context, chain_file.c_str()) != 1) {
    fail("no certificate can be read from", chain_file);
  }
  if (SSL_CTX_use_PrivateKey_file(&context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    fail("no private key for it can be read from", key_file);
  }
  if (SSL_CTX_check_private_key(&context) != 1)
    fail("the private key belongs to another certificate,", key_file);
}

void use_authorities(ssl_ctx_st& context, const std::string& file) {
  ERR_clear_error();
  if (SSL_CTX_load_verify_locations(&context, file.c_str(), nullptr) != 1) {
    fail("no authorities' certificates can be read from", file);
  }
}

std::string take_tls_cause() {
  const auto code = ERR_peek_error();
  ERR_clear_error();
  if (code == 0) return "unknown cause";
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "error " + std::to_string(code);
}

}  // namespace tessera::http
