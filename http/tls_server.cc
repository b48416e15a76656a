// Each certificate has an SSL_CTX of its own. A connection begins with the first one and changes to that of
// its server name; it keeps its context, so that a reload touches new connections only. A new context has new
// ticket keys: nobody resumes a session that was made under other certificates or another client CA.
#include "http/tls_server.h"

#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <sys/stat.h>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <spdlog/spdlog.h>

#include "http/tls_certificate.h"
#include "http/tls_context.h"

namespace tessera::http {
namespace {

using std::chrono::steady_clock;

constexpr auto kLookInterval = std::chrono::seconds(2);
constexpr unsigned char kProtocol[] = "\x08http/1.1";
constexpr unsigned char kSessionContext[] = "tessera";

struct Entry {
  SslContextPtr context;
  std::vector<std::string> names;
};

struct Contexts {
  std::vector<Entry> entries;

  SSL_CTX* find(std::string_view host) const {
    SSL_CTX* found = entries.front().context.get();
    NameMatch best = NameMatch::none;
    for (const auto& entry : entries) {
      const auto match = match_name(entry.names, host);
      if (match <= best) continue;
      best = match;
      found = entry.context.get();
    }
    return found;
  }
};

// What tells that a file is another one, or has other bytes, than before.
struct FileMark {
  timespec changed{};
  ino_t node = 0;
  off_t size = -1;  // -1: there is no file
  bool operator==(const FileMark& other) const {
    return changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec &&
           node == other.node && size == other.size;
  }
};

FileMark mark_of(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return {};
  return {found.st_mtim, found.st_ino, found.st_size};
}

int choose_certificate(SSL* ssl, int*, void* contexts) {
  const char* host = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (host == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_SSL_CTX(ssl, static_cast<const Contexts*>(contexts)->find(host));
  return SSL_TLSEXT_ERR_OK;
}

// RFC 7301 3.2: a client that offers protocols, and none that we speak, is refused.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, size, kProtocol, sizeof kProtocol - 1, offered, offered_size);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

void ask_for_certificate(SSL_CTX& context, const ServerTlsOptions& options) {
  if (options.client_auth == ServerTlsOptions::ClientAuth::none) return;
  use_authorities(context, options.client_ca);
  STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(options.client_ca.c_str());
  if (names == nullptr) throw std::runtime_error("no authorities' names in \"" + options.client_ca + "\"");
  SSL_CTX_set_client_CA_list(&context, names);
  const bool required = options.client_auth == ServerTlsOptions::ClientAuth::require;
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
}

Entry make_entry(const ServerTlsOptions& options, const ServerTlsOptions::Certificate& files,
                 const Contexts* contexts) {
  Entry entry;
  entry.context = make_tls_context(TlsSide::server, options.minimum_version);
  SSL_CTX* context = entry.context.get();
  use_certificate(*context, files.chain_file, files.key_file);
  entry.names = certificate_names(*SSL_CTX_get0_certificate(context));
  ask_for_certificate(*context, options);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_tlsext_servername_callback(context, choose_certificate);
  SSL_CTX_set_tlsext_servername_arg(context, const_cast<Contexts*>(contexts));
  // Sessions live in the clients' tickets; nothing is kept here for those who never come back.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context, kSessionContext, sizeof kSessionContext - 1);
  SSL_CTX_set_num_tickets(context, 1);
  return entry;
}

std::shared_ptr<const Contexts> make_contexts(const ServerTlsOptions& options) {
  auto contexts = std::make_shared<Contexts>();
  for (const auto& files : options.certificates) {
    contexts->entries.push_back(make_entry(options, files, contexts.get()));
  }
  return contexts;
}

}  // namespace

struct ServerTls::Impl {
  using Marks = std::map<std::string, FileMark>;

  explicit Impl(ServerTlsOptions with)
      : options(std::move(with)), marks(look()), current(make_contexts(options)) {}

  Marks look() const {
    Marks seen;
    for (const auto& files : options.certificates) {
      seen[files.chain_file] = mark_of(files.chain_file);
      seen[files.key_file] = mark_of(files.key_file);
    }
    if (!options.client_ca.empty()) seen[options.client_ca] = mark_of(options.client_ca);
    return seen;
  }

  std::shared_ptr<const Contexts> get() const {
    const std::lock_guard lock(mutex);
    return current;
  }

  // Whoever comes when it is time looks; the others do not wait for him.
  void look_now_and_then() {
    const auto now = steady_clock::now().time_since_epoch().count();
    auto due = next_look.load(std::memory_order_relaxed);
    if (now < due) return;
    const auto after = now + steady_clock::duration(kLookInterval).count();
    if (!next_look.compare_exchange_strong(due, after)) return;
    // Not under the mutex, which every handshake needs: a disk may take its time.
    const auto seen = look();
    bool changed = false;
    {
      const std::lock_guard lock(mutex);
      changed = marks != seen;
    }
    if (changed) reload();
  }

  bool reload() {
    auto seen = look();
    try {
      auto made = make_contexts(options);
      const std::lock_guard lock(mutex);
      current = std::move(made);
      marks = std::move(seen);
      spdlog::info("the certificates have been read again");
      return true;
    } catch (const std::exception& error) {
      spdlog::error("the certificates of before stay in use: {}", error.what());
    }
    // The same broken files are not worth another try, nor another line in the log.
    const std::lock_guard lock(mutex);
    marks = std::move(seen);
    return false;
  }

  const ServerTlsOptions options;
  mutable std::mutex mutex;  // protects marks and current
  Marks marks;
  std::shared_ptr<const Contexts> current;
  std::atomic<steady_clock::rep> next_look{0};
};

ServerTls::ServerTls(ServerTlsOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
ServerTls::~ServerTls() = default;

std::unique_ptr<TlsSession> ServerTls::session() {
  impl_->look_now_and_then();
  auto contexts = impl_->get();
  SslPtr ssl(SSL_new(contexts->entries.front().context.get()));
  if (!ssl) throw std::bad_alloc();
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsSession>(std::move(ssl), std::move(contexts));
}

bool ServerTls::reload() {
  return impl_->reload();
}

}  // namespace tessera::http
