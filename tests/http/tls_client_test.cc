// The client side of TLS against servers of OpenSSL's own.
#include "http/tls_client.h"

#include <future>
#include <sstream>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/http/tls_peer.h"
#include "tests/support/certificates.h"

namespace tessera::http::testing {
namespace {

using test::Authority;

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// What is logged while it lives.
class LogText {
 public:
  LogText() {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~LogText() { spdlog::set_default_logger(before_); }
  bool has(std::string_view part) const { return text_.str().find(part) != std::string::npos; }
  std::string text() const { return text_.str(); }

 private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

struct Outcome {
  boost::system::error_code error;
  int status = 0;
  std::string body;
};

// A client to https://HOST:PORT on a loop of its own.
class TlsClient {
 public:
  TlsClient(const std::string& host, unsigned short port, ClientTlsOptions tls, ClientOptions options = {}) {
    options.tls = std::make_shared<const ClientTls>(std::move(tls));
    const auto origin = parse_origin("https://" + host + ":" + std::to_string(port));
    client_ = std::make_unique<Client>(loops_.executor(), *origin, options);
  }
  ~TlsClient() { loops_.stop(); }

  Outcome send(RequestHead head = {}, BodySource* body = nullptr) {
    Outcome outcome;
    loops_.run([&]() -> Task<void> {
      auto response = co_await client_->send(head, body, soon());
      outcome.error = response.error();
      if (!response) co_return;
      outcome.status = response->head.status;
      auto text = co_await read_all(*response->body, 64 << 20, soon());
      outcome.error = text.error();
      if (text) outcome.body = std::move(*text);
    });
    return outcome;
  }

 private:
  Loops loops_;
  std::unique_ptr<Client> client_;
};

ClientTlsOptions trusting(const Authority& authority) {
  ClientTlsOptions options;
  options.ca_file = authority.certificate();
  return options;
}

TlsPeer::Options serving(const std::string& certificate, int version = 0) {
  TlsPeer::Options options;
  options.certificate = certificate;
  options.version = version;
  return options;
}

// Accepts one connection and answers one request on it.
std::future<std::string> answer_once(Listening& listening, TlsPeer::Options options) {
  return std::async(std::launch::async, [&listening, options] {
    auto peer = TlsPeer::accept(listening.accept(), options);
    if (!peer.error().empty()) return "failed: " + peer.error();
    peer.read_until("\r\n\r\n");
    peer.send(kAnswer);
    peer.read_to_end();
    return "asked for \"" + peer.asked_name() + "\", shown \"" + peer.peer_name() + "\"";
  });
}

TEST(TlsClient, VerifiesAndNamesTheOrigin) {
  const Authority authority;
  Listening listening;
  auto server = answer_once(listening, serving(authority.issue("a.pem")));
  {
    TlsClient client("localhost", listening.port(), trusting(authority));
    const auto outcome = client.send();
    EXPECT_EQ(outcome.error, boost::system::error_code());
    EXPECT_EQ(outcome.body, "ok");
  }
  EXPECT_EQ(server.get(), "asked for \"localhost\", shown \"\"");
}

TEST(TlsClient, VerifiesAnAddressAndAsksForNone) {
  const Authority authority;
  Listening listening;
  auto server = answer_once(listening, serving(authority.issue("a.pem")));
  {
    TlsClient client("127.0.0.1", listening.port(), trusting(authority));
    EXPECT_EQ(client.send().body, "ok");
  }
  EXPECT_EQ(server.get(), "asked for \"\", shown \"\"");
}

TEST(TlsClient, MayAskForAnotherName) {
  const Authority authority;
  Listening listening;
  auto server = answer_once(listening, serving(authority.issue("a.pem", {.names = "DNS:api.test"})));
  {
    auto options = trusting(authority);
    options.server_name = "api.test";
    TlsClient client("127.0.0.1", listening.port(), options);
    EXPECT_EQ(client.send().body, "ok");
  }
  EXPECT_EQ(server.get(), "asked for \"api.test\", shown \"\"");
}

TEST(TlsClient, ShowsItsCertificateWhenAsked) {
  const Authority authority;
  Listening listening;
  auto asking = serving(authority.issue("a.pem"));
  asking.ca = authority.certificate();
  auto server = answer_once(listening, asking);
  {
    auto options = trusting(authority);
    options.certificate_file = authority.issue("proxy");
    TlsClient client("localhost", listening.port(), options);
    EXPECT_EQ(client.send().body, "ok");
  }
  EXPECT_EQ(server.get(), "asked for \"localhost\", shown \"proxy\"");
}

struct BadOrigin {
  const char* name;
  Authority::Wish wish;
  bool is_strange;
  const char* cause;
};

class TlsClientRefuses : public ::testing::TestWithParam<BadOrigin> {};
INSTANTIATE_TEST_SUITE_P(
    All, TlsClientRefuses,
    ::testing::Values(
        BadOrigin{"AnotherName", {.names = "DNS:other.test"}, false, "hostname mismatch"},
        BadOrigin{"AWildcardWithinALabel", {.names = "DNS:local*"}, false, "hostname mismatch"},
        BadOrigin{"ACommonNameBesideOtherNames", {.names = "IP:127.0.0.1"}, false, "hostname mismatch"},
        BadOrigin{"AnExpiredOne", {.from_days = -3, .to_days = -1}, false, "certificate has expired"},
        BadOrigin{"OneOfTheFuture", {.from_days = 1}, false, "certificate is not yet valid"},
        BadOrigin{"AnUnknownIssuer", {}, true, "self-signed certificate in certificate chain"}),
    [](const auto& bad) { return bad.param.name; });

TEST_P(TlsClientRefuses, AndSaysWhy) {
  const Authority authority;
  const Authority stranger("Stranger");
  Listening listening;
  const auto certificate = (GetParam().is_strange ? stranger : authority).issue("localhost", GetParam().wish);
  auto server = answer_once(listening, serving(certificate));
  const LogText log;
  {
    TlsClient client("localhost", listening.port(), trusting(authority));
    EXPECT_EQ(client.send().error, Error::tls_failed);
  }
  EXPECT_TRUE(server.get().starts_with("failed: "));
  EXPECT_TRUE(log.has("no TLS connection to the origin localhost: " + std::string(GetParam().cause)))
      << log.text();
}

TEST(TlsClient, BelievesAnybodyWhenToldSoAndWarns) {
  const Authority stranger;
  Listening listening;
  auto server =
      answer_once(listening, serving(stranger.issue("a.pem", {.names = "DNS:other.test", .to_days = 0})));
  const LogText log;
  {
    ClientTlsOptions options;
    options.verify = false;
    TlsClient client("localhost", listening.port(), options);
    EXPECT_EQ(client.send().body, "ok");
  }
  server.wait();
  EXPECT_TRUE(log.has("tls_verify = false")) << log.text();
}

TEST(TlsClient, RefusesAnOriginThatSpeaksNoTlsOrAnOldOne) {
  const Authority authority;
  Listening listening;
  auto plain = std::async(std::launch::async, [&] {
    auto socket = listening.accept();
    socket.read_exactly(1);
    socket.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    socket.finish_sending();
    socket.read_to_end();
  });
  TlsClient client("localhost", listening.port(), trusting(authority));
  EXPECT_EQ(client.send().error, Error::tls_failed);
  plain.get();
  auto old = answer_once(listening, serving(authority.issue("a.pem"), TLS1_1_VERSION));
  EXPECT_EQ(client.send().error, Error::tls_failed);
  old.get();
}

TEST(TlsClient, AHandshakeThatDoesNotEndIsNoConnection) {
  const Authority authority;
  Listening listening;  // the kernel accepts, and nobody answers
  ClientOptions options;
  options.connect_timeout = std::chrono::milliseconds(50);
  TlsClient client("localhost", listening.port(), trusting(authority), options);
  EXPECT_EQ(client.send().error, Error::connect_failed);
}

class TlsClientVersions : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, TlsClientVersions, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) {
                           return version.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
                         });

// Session tickets arrive on a connection that waits in the pool; they are not the origin's word.
TEST_P(TlsClientVersions, KeepAConnectionForTheNextRequest) {
  const Authority authority;
  Listening listening;
  const auto options = serving(authority.issue("a.pem"), GetParam());
  auto server = std::async(std::launch::async, [&] {
    auto peer = TlsPeer::accept(listening.accept(), options);
    for (int i = 0; i < 3; ++i) {
      peer.read_until("\r\n\r\n");
      peer.send(kAnswer);
      if (GetParam() != TLS1_3_VERSION) continue;
      SSL_new_session_ticket(peer.ssl());
      SSL_key_update(peer.ssl(), SSL_KEY_UPDATE_REQUESTED);
      SSL_do_handshake(peer.ssl());  // sends both
    }
    const auto rest = peer.read_to_end();
    return rest + (peer.ended_cleanly() ? "goodbye" : "");
  });
  {
    TlsClient client("localhost", listening.port(), trusting(authority));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.send().body, "ok");
  }
  EXPECT_EQ(server.get(), "goodbye");
}

TEST_P(TlsClientVersions, OpenAnotherWhenTheOriginHasSaidGoodbye) {
  const Authority authority;
  Listening listening;
  const auto options = serving(authority.issue("a.pem"), GetParam());
  std::promise<void> closed;
  auto server = std::async(std::launch::async, [&] {
    auto first = TlsPeer::accept(listening.accept(), options);
    first.read_until("\r\n\r\n");
    first.send(kAnswer);
    first.say_goodbye();  // and keeps the TCP connection
    closed.set_value();
    auto second = TlsPeer::accept(listening.accept(), options);
    second.read_until("\r\n\r\n");
    second.send(kAnswer);
    second.read_to_end();
  });
  {
    TlsClient client("localhost", listening.port(), trusting(authority));
    EXPECT_EQ(client.send().body, "ok");
    closed.get_future().wait();
    RequestHead once;
    once.method = "POST";  // would not be repeated
    const auto outcome = client.send(once);
    EXPECT_EQ(outcome.body, "ok") << outcome.error.message();
  }
  server.get();
}

TEST_P(TlsClientVersions, ResumeASession) {
  const Authority authority;
  Listening listening;
  auto server = std::async(std::launch::async, [&] {
    const auto serve = [&](const TlsPeer* like) {
      auto options = serving(authority.issue("a.pem"), GetParam());
      options.like = like;
      auto peer = TlsPeer::accept(listening.accept(), options);
      peer.read_until("\r\n\r\n");
      peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
      peer.read_to_end();
      return peer;
    };
    const auto first = serve(nullptr);
    const auto second = serve(&first);
    const auto third = serve(&first);
    return std::vector<bool>{first.resumed(), second.resumed(), third.resumed()};
  });
  {
    TlsClient client("localhost", listening.port(), trusting(authority));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.send().body, "ok");
  }
  EXPECT_EQ(server.get(), (std::vector<bool>{false, true, true}));
}

TEST_P(TlsClientVersions, SendAndReadLargeBodies) {
  const Authority authority;
  Listening listening;
  const auto options = serving(authority.issue("a.pem"), GetParam());
  const std::string large(8 << 20, 'y');
  auto server = std::async(std::launch::async, [&] {
    auto peer = TlsPeer::accept(listening.accept(), options);
    peer.read_until("\r\n\r\n");
    const auto received = peer.read_exactly(large.size());
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(large.size()) + "\r\n\r\n");
    peer.send(large);
    peer.read_to_end();
    return received == large;
  });
  {
    TlsClient client("localhost", listening.port(), trusting(authority));
    RequestHead head;
    head.method = "POST";
    std::vector<std::string> pieces(8, std::string(1 << 20, 'y'));
    PieceSource source(std::move(pieces), large.size());
    const auto outcome = client.send(head, &source);
    EXPECT_EQ(outcome.status, 200);
    EXPECT_TRUE(outcome.body == large);
  }
  EXPECT_TRUE(server.get());
}

// RFC 9112 9.8: without close_notify the end may be an attacker's.
TEST_P(TlsClientVersions, TakeNoCutForTheEndOfABody) {
  const Authority authority;
  const auto fetch = [&](bool politely) {
    Listening listening;
    const auto options = serving(authority.issue("a.pem"), GetParam());
    auto server = std::async(std::launch::async, [&] {
      auto peer = TlsPeer::accept(listening.accept(), options);
      peer.read_until("\r\n\r\n");
      peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome");
      if (politely) peer.say_goodbye();
      peer.socket().finish_sending();
      peer.read_to_end();
    });
    TlsClient client("localhost", listening.port(), trusting(authority));
    const auto outcome = client.send();
    server.wait();
    return outcome;
  };
  EXPECT_EQ(fetch(true).body, "some");
  EXPECT_EQ(fetch(false).error, Error::closed);
}

}  // namespace
}  // namespace tessera::http::testing
