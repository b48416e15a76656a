// OpenSSL reads and writes through a BIO of our own, which differs from its socket BIO in three ways: it
// never raises SIGPIPE, it does not ask that the socket is non-blocking, and it can begin with bytes that
// were read before TLS did.
#include "http/tls_session.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace tessera::http {
namespace {

constexpr std::size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;

// Drops "error:0A000126:SSL routines::" and the like from what stands in OpenSSL's queue.
std::string reason_text(unsigned long code) {
  if (code == 0) return "the peer closed the connection";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "TLS error " + std::to_string(ERR_GET_REASON(code));
}

}  // namespace

struct TlsSession::Transport {
  int socket = -1;
  std::string ahead;  // read before OpenSSL asked for it
  std::size_t taken = 0;
  bool ended = false;

  static Transport& of(BIO* bio) { return *static_cast<Transport*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* space, std::size_t size, std::size_t* count) {
    auto& self = of(bio);
    BIO_clear_retry_flags(bio);
    if (self.taken < self.ahead.size()) {
      *count = self.ahead.copy(space, size, self.taken);
      self.taken += *count;
      return 1;
    }
    for (;;) {
      const auto got = ::recv(self.socket, space, size, MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got > 0) {
        *count = static_cast<std::size_t>(got);
        return 1;
      }
      self.ended = got == 0;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
      *count = 0;
      return 0;
    }
  }

  static int write(BIO* bio, const char* bytes, std::size_t size, std::size_t* count) {
    BIO_clear_retry_flags(bio);
    for (;;) {
      const auto sent = ::send(of(bio).socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent >= 0) {
        *count = static_cast<std::size_t>(sent);
        return 1;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) BIO_set_retry_write(bio);
      *count = 0;
      return 0;
    }
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    return command == BIO_CTRL_EOF && of(bio).ended ? 1 : 0;
  }

  static BIO_METHOD* method() {
    static BIO_METHOD* const kMethod = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tessera");
      BIO_meth_set_read_ex(made, &Transport::read);
      BIO_meth_set_write_ex(made, &Transport::write);
      BIO_meth_set_ctrl(made, &Transport::control);
      return made;
    }();
    return kMethod;
  }
};

void SslFree::operator()(ssl_st* ssl) const {
  SSL_free(ssl);
}

TlsSession::TlsSession(SslPtr ssl, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), transport_(std::make_unique<Transport>()), ssl_(std::move(ssl)) {}

TlsSession::~TlsSession() {
  // Without these, OpenSSL takes a connection that ends without ceremony for a reason not to resume its
  // session.
  if (!failed_) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

void TlsSession::attach(int socket, std::string_view ahead) {
  transport_->socket = socket;
  transport_->ahead = ahead;
  BIO* bio = BIO_new(Transport::method());
  BIO_set_data(bio, transport_.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_mode(ssl_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                               SSL_MODE_RELEASE_BUFFERS);
  SSL_set_read_ahead(ssl_.get(), 1);
}

TlsSession::Step TlsSession::outcome(int result) {
  Step step;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
    case SSL_ERROR_ZERO_RETURN:
      return step;
    case SSL_ERROR_WANT_READ:
      step.wait = Wait::input;
      return step;
    case SSL_ERROR_WANT_WRITE:
      step.wait = Wait::output;
      return step;
    default:
      break;
  }
  failed_ = true;
  failure_ = ERR_peek_error();
  const int reason = ERR_GET_REASON(failure_);
  const bool ended = failure_ == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  ERR_clear_error();
  if (open_ || ended) {
    step.error = Error::closed;
  } else if (reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST) {
    step.error = Error::plain_http;
  } else {
    step.error = Error::tls_failed;
  }
  return step;
}

TlsSession::Step TlsSession::handshake() {
  ERR_clear_error();
  const auto step = outcome(SSL_do_handshake(ssl_.get()));
  open_ = step.wait == Wait::nothing && !step.error;
  return step;
}

TlsSession::Step TlsSession::read(std::span<char> space) {
  Step step;
  if (failed_) {
    step.error = Error::closed;
    return step;
  }
  ERR_clear_error();
  std::size_t bytes = 0;
  step = outcome(SSL_read_ex(ssl_.get(), space.data(), space.size(), &bytes));
  step.bytes = bytes;
  return step;
}

TlsSession::Step TlsSession::write(std::span<const iovec> pieces) {
  Step step;
  if (failed_) {
    step.error = Error::closed;
    return step;
  }
  // A record that OpenSSL could not pass on whole is repeated with the same bytes: the same pieces make the
  // same record.
  char gathered[kRecord];
  const char* bytes = static_cast<const char*>(pieces.front().iov_base);
  std::size_t size = pieces.front().iov_len;
  if (size < kRecord && pieces.size() > 1) {
    bytes = gathered;
    size = 0;
    for (const auto& piece : pieces) {
      const auto count = std::min(piece.iov_len, kRecord - size);
      std::memcpy(gathered + size, piece.iov_base, count);
      size += count;
      if (size == kRecord) break;
    }
  }
  ERR_clear_error();
  std::size_t taken = 0;
  step = outcome(SSL_write_ex(ssl_.get(), bytes, std::min(size, kRecord), &taken));
  step.bytes = taken;
  return step;
}

Connection::State TlsSession::probe() {
  if (failed_) return Connection::State::closed;
  ERR_clear_error();
  char byte;
  std::size_t count = 0;
  const auto step = outcome(SSL_peek_ex(ssl_.get(), &byte, 1, &count));
  if (step.wait != Wait::nothing) return Connection::State::quiet;
  return count != 0 ? Connection::State::input : Connection::State::closed;
}

TlsSession::Step TlsSession::say_goodbye() {
  Step step;
  if (failed_ || !open_ || said_goodbye_) return step;
  ERR_clear_error();
  const int result = SSL_shutdown(ssl_.get());
  if (result < 0) step = outcome(result);
  said_goodbye_ = step.wait == Wait::nothing;
  return step;
}

bool TlsSession::is_server() const {
  return SSL_is_server(ssl_.get()) == 1;
}

std::string TlsSession::cause() const {
  const long verified = SSL_get_verify_result(ssl_.get());
  const bool matters = SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE;
  if (matters && verified != X509_V_OK) return X509_verify_cert_error_string(verified);
  return reason_text(failure_);
}

}  // namespace tessera::http
