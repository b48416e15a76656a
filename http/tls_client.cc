#include "http/tls_client.h"

#include <stdexcept>
#include <utility>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <spdlog/spdlog.h>

#include "config/network.h"
#include "http/tls_context.h"

namespace tessera::http {
namespace {

using boost::system::error_code;
using std::chrono::steady_clock;

constexpr unsigned char kProtocol[] = "\x08http/1.1";
constexpr auto kRepeatLog = std::chrono::seconds(10);

struct SessionFree {
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using SessionPtr = std::unique_ptr<SSL_SESSION, SessionFree>;

// The session that the next connection resumes. A ticket comes with any read, so it is found by its
// connection.
struct SessionSlot {
  SessionPtr session;
};

int keep_session(SSL* ssl, SSL_SESSION* session) {
  auto* slot = static_cast<SessionSlot*>(SSL_get_app_data(ssl));
  if (slot == nullptr) return 0;
  slot->session.reset(session);
  return 1;  // it is ours now
}

}  // namespace

struct ClientTls::Impl {
  explicit Impl(ClientTlsOptions with)
      : options(std::move(with)), context(make_tls_context(TlsSide::client)) {
    SSL_CTX* made = context.get();
    if (!options.verify) {
      spdlog::warn("tls_verify = false: whoever answers in the origin's place is believed");
    } else if (!options.ca_file.empty()) {
      use_authorities(*made, options.ca_file);
    } else if (SSL_CTX_set_default_verify_paths(made) != 1) {
      throw std::runtime_error("the system's authorities cannot be read: " + take_tls_cause());
    }
    SSL_CTX_set_verify(made, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    if (!options.certificate_file.empty()) {
      use_certificate(*made, options.certificate_file,
                      options.key_file.empty() ? options.certificate_file : options.key_file);
    }
    SSL_CTX_set_alpn_protos(made, kProtocol, sizeof kProtocol - 1);
    SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(made, keep_session);
  }

  ClientTlsOptions options;
  SslContextPtr context;
};

ClientTls::ClientTls(ClientTlsOptions options) : impl_(std::make_shared<const Impl>(std::move(options))) {}
ClientTls::~ClientTls() = default;

struct OriginTls::Impl {
  Impl(std::shared_ptr<const ClientTls::Impl> shared, const std::string& host)
      : tls(std::move(shared)), name(tls->options.server_name.empty() ? host : tls->options.server_name) {
    if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
    if (name.ends_with('.')) name.pop_back();
  }

  // RFC 9110 4.3.4: the name of the URL must be one of the certificate's. RFC 6066 3: an address is never
  // asked for.
  bool name_peer(SSL* ssl) const {
    auto* wanted = SSL_get0_param(ssl);
    if (config::parse_ip(name)) return X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1;
    X509_VERIFY_PARAM_set_hostflags(
        wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), name.size()) == 1 &&
           SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
  }

  std::unique_ptr<TlsSession> session() {
    SslPtr ssl(SSL_new(tls->context.get()));
    if (!ssl) throw std::bad_alloc();
    if (!name_peer(ssl.get())) return nullptr;
    SSL_set_connect_state(ssl.get());
    SSL_set_app_data(ssl.get(), slot.get());
    if (slot->session) SSL_set_session(ssl.get(), slot->session.get());
    return std::make_unique<TlsSession>(std::move(ssl), slot);
  }

  void log(const std::string& cause) {
    const auto now = steady_clock::now();
    if (cause == last_cause && now - last_log < kRepeatLog) return;
    last_cause = cause;
    last_log = now;
    spdlog::warn("no TLS connection to the origin {}: {}", name, cause);
  }

  std::shared_ptr<const ClientTls::Impl> tls;
  std::string name;
  std::shared_ptr<SessionSlot> slot = std::make_shared<SessionSlot>();
  std::string last_cause;
  steady_clock::time_point last_log;
};

OriginTls::OriginTls(const ClientTls& tls, const std::string& host)
    : impl_(std::make_shared<Impl>(tls.impl_, host)) {}
OriginTls::~OriginTls() = default;

Task<error_code> OriginTls::start(Connection& connection, Deadline deadline) {
  const auto impl = impl_;
  auto session = impl->session();
  if (!session) {
    impl->log("its name cannot be asked for");
    co_return Error::tls_failed;
  }
  const auto started = co_await connection.start_tls(std::move(session), deadline);
  if (!started.error || started.error == Error::cancelled) co_return started.error;
  impl->slot->session.reset();  // a full handshake next time
  impl->log(started.cause);
  const bool ended = started.error == Error::closed;  // a request that was not sent was not lost
  co_return ended ? make_error_code(Error::tls_failed) : started.error;
}

}  // namespace tessera::http
