#include "tests/http/tls_peer.h"

#include <algorithm>
#include <csignal>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

#include <openssl/err.h>
#include <openssl/x509.h>

namespace tessera::http::testing {

TlsPeer TlsPeer::connect(unsigned short port, const Options& options) {
  return over(Socket::connect(port), options);
}

TlsPeer TlsPeer::over(Socket socket, const Options& options) {
  return TlsPeer(std::move(socket), options, false);
}

TlsPeer TlsPeer::accept(Socket socket, const Options& options) {
  return TlsPeer(std::move(socket), options, true);
}

TlsPeer::TlsPeer(Socket socket, const Options& options, bool is_server) : socket_(std::move(socket)) {
  if (options.like != nullptr) {
    context_ = options.like->context_;
  } else {
    context_.reset(SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method()), SSL_CTX_free);
  }
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's own sockets raise it
  const int at_once = 1;          // what is said last is not held back until all before it is acknowledged
  setsockopt(socket_.handle(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  SSL_CTX* context = context_.get();
  if (!options.certificate.empty()) {
    SSL_CTX_use_certificate_chain_file(context, options.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, options.certificate.c_str(), SSL_FILETYPE_PEM);
  }
  if (options.version != 0) {
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, options.version);
    SSL_CTX_set_max_proto_version(context, options.version);
  }
  if (!options.ca.empty()) {
    SSL_CTX_load_verify_locations(context, options.ca.c_str(), nullptr);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>("t"), 1);
  ssl_.reset(SSL_new(context));
  SSL_set_fd(ssl_.get(), socket_.handle());
  if (!options.server_name.empty()) SSL_set_tlsext_host_name(ssl_.get(), options.server_name.c_str());
  if (!options.alpn.empty()) {
    const std::string wire = static_cast<char>(options.alpn.size()) + options.alpn;
    SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(wire.data()),
                        static_cast<unsigned>(wire.size()));
  }
  if (options.session != nullptr) SSL_set_session(ssl_.get(), options.session);
  ERR_clear_error();
  const int result = is_server ? SSL_accept(ssl_.get()) : SSL_connect(ssl_.get());
  if (result == 1) return;
  const auto code = ERR_peek_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  error_ = reason != nullptr ? reason : "the peer closed";
}

std::string TlsPeer::peer_name() const {
  X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return "";
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  return name;
}

std::string TlsPeer::asked_name() const {
  const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

std::string TlsPeer::chosen_alpn() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

bool TlsPeer::send(std::string_view bytes) {
  if (bytes.empty()) return true;
  std::size_t written = 0;
  return SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written) == 1 && written == bytes.size();
}

bool TlsPeer::fill() {
  char space[16 * 1024];
  std::size_t count = 0;
  ERR_clear_error();
  const int result = SSL_read_ex(ssl_.get(), space, sizeof space, &count);
  if (result != 1) clean_end_ = SSL_get_error(ssl_.get(), result) == SSL_ERROR_ZERO_RETURN;
  buffer_.append(space, count);
  return result == 1;
}

std::string TlsPeer::read_until(std::string_view mark) {
  std::size_t at = 0;
  while ((at = buffer_.find(mark)) == std::string::npos) {
    if (!fill()) return std::exchange(buffer_, {});
  }
  return read_exactly(at + mark.size());
}

std::string TlsPeer::read_exactly(std::size_t count) {
  while (buffer_.size() < count && fill()) {
  }
  std::string result = buffer_.substr(0, count);
  buffer_.erase(0, result.size());
  return result;
}

std::string TlsPeer::read_to_end() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

}  // namespace tessera::http::testing
