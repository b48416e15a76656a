// The server side of TLS against a client of OpenSSL's own.
#include "http/tls_server.h"

#include <filesystem>
#include <future>

#include <gtest/gtest.h>

#include "tests/http/tls_peer.h"
#include "tests/support/certificates.h"

namespace tessera::http::testing {
namespace {

using test::Authority;
using ClientAuth = ServerTlsOptions::ClientAuth;

constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

std::shared_ptr<ServerTls> make_tls(const std::vector<std::string>& files, ServerTlsOptions options = {}) {
  for (const auto& file : files) options.certificates.push_back({file, file});
  return std::make_shared<ServerTls>(std::move(options));
}

ServerOptions with_tls(std::shared_ptr<ServerTls> tls) {
  ServerOptions options;
  options.tls = std::move(tls);
  return options;
}

// Says what it was asked and how.
Task<Response> describe(Request& request) {
  Response response;
  response.body =
      request.head.target + (request.tls ? " over TLS from " : " in the clear from ") + request.peer_address;
  co_return response;
}

Task<Response> echo(Request& request) {
  Response response;
  auto body = co_await read_all(*request.body, 64 << 20, soon());
  response.body = body ? std::move(*body) : "failed";
  co_return response;
}

std::string body_of(const std::string& response) {
  const auto end = response.find("\r\n\r\n");
  return end == std::string::npos ? "no response" : response.substr(end + 4);
}

class TlsServerVersions : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, TlsServerVersions, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) {
                           return version.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
                         });

TEST_P(TlsServerVersions, AnswerAndEndCleanly) {
  const Authority authority;
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")})));
  TlsPeer::Options options;
  options.ca = authority.certificate();
  options.version = GetParam();
  auto peer = TlsPeer::connect(server.port(), options);
  ASSERT_EQ(peer.error(), "");
  peer.send(kGet);
  EXPECT_EQ(body_of(peer.read_to_end()), "/x over TLS from 127.0.0.1");
  EXPECT_TRUE(peer.ended_cleanly());
}

TEST_P(TlsServerVersions, CarryLargeBodiesBothWays) {
  const Authority authority;
  TestServer server(echo, with_tls(make_tls({authority.issue("a.pem")})));
  TlsPeer::Options options;
  options.version = GetParam();
  auto peer = TlsPeer::connect(server.port(), options);
  std::string body(5 << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761u >> 13);
  peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  ASSERT_TRUE(peer.send(body));
  peer.read_until("\r\n\r\n");
  EXPECT_TRUE(peer.read_exactly(body.size()) == body);
}

TEST_P(TlsServerVersions, WaitForAClientThatReadsSlowly) {
  const Authority authority;
  const std::string body(16 << 20, 'x');
  TestServer server(answer(body), with_tls(make_tls({authority.issue("a.pem")})));
  TlsPeer::Options options;
  options.version = GetParam();
  auto peer = TlsPeer::connect(server.port(), options);
  peer.send(kGet);
  peer.send(kGet);  // and goes on to read while the server has much to write
  EXPECT_EQ(body_of(peer.read_to_end()).size(), body.size());
}

TEST_P(TlsServerVersions, ResumeASession) {
  const Authority authority;
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")})));
  TlsPeer::Options options;
  options.version = GetParam();
  auto first = TlsPeer::connect(server.port(), options);
  first.send(kGet);
  first.read_to_end();
  EXPECT_FALSE(first.resumed());
  options.session = first.session();
  auto second = TlsPeer::connect(server.port(), options);
  EXPECT_TRUE(second.resumed());
  second.send(kGet);
  EXPECT_EQ(body_of(second.read_to_end()), "/x over TLS from 127.0.0.1");
}

TEST(TlsServer, SpeaksNoOldVersion) {
  const Authority authority;
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")})));
  TlsPeer::Options options;
  options.version = TLS1_1_VERSION;
  EXPECT_NE(TlsPeer::connect(server.port(), options).error(), "");
  ServerTlsOptions modern;
  modern.minimum_version = "1.3";
  TestServer strict(describe, with_tls(make_tls({authority.issue("a.pem")}, modern)));
  options.version = TLS1_2_VERSION;
  EXPECT_NE(TlsPeer::connect(strict.port(), options).error(), "");
  EXPECT_EQ(TlsPeer::connect(strict.port()).version(), "TLSv1.3");
}

TEST(TlsServer, ChoosesTheCertificateByName) {
  const Authority authority;
  const auto tls = make_tls({authority.issue("first", {.names = "DNS:first.test"}),
                             authority.issue("wild", {.names = "DNS:*.wild.test"}),
                             authority.issue("exact", {.names = "DNS:other.test,DNS:exact.wild.test"})});
  TestServer server(describe, with_tls(tls));
  const auto shown = [&](const std::string& name) {
    TlsPeer::Options options;
    options.server_name = name;
    return TlsPeer::connect(server.port(), options).peer_name();
  };
  EXPECT_EQ(shown("first.test"), "first");
  EXPECT_EQ(shown("a.wild.test"), "wild");
  EXPECT_EQ(shown("EXACT.wild.test"), "exact");
  EXPECT_EQ(shown("other.test"), "exact");
  EXPECT_EQ(shown("a.b.wild.test"), "first");
  EXPECT_EQ(shown("wild.test"), "first");
  EXPECT_EQ(shown(""), "first");
}

TEST(TlsServer, AgreesOnHttp11OrRefuses) {
  const Authority authority;
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")})));
  TlsPeer::Options options;
  options.alpn = "http/1.1";
  EXPECT_EQ(TlsPeer::connect(server.port(), options).chosen_alpn(), "http/1.1");
  EXPECT_EQ(TlsPeer::connect(server.port()).chosen_alpn(), "");
  options.alpn = "h2";
  EXPECT_EQ(TlsPeer::connect(server.port(), options).error(), "tlsv1 alert no application protocol");
}

TEST(TlsServer, AsksForACertificateAndVerifiesIt) {
  const Authority authority;
  const Authority stranger;
  const auto ask = [&](ClientAuth auth, const std::string& certificate) {
    ServerTlsOptions tls;
    tls.client_auth = auth;
    tls.client_ca = authority.certificate();
    TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")}, tls)));
    TlsPeer::Options options;
    options.certificate = certificate;
    auto peer = TlsPeer::connect(server.port(), options);
    peer.send(kGet);  // with TLS 1.3 the refusal comes after the client's own handshake
    return peer.read_to_end().starts_with("HTTP/1.1 200");
  };
  const auto good = authority.issue("client.pem");
  const auto strange = stranger.issue("client.pem");
  EXPECT_TRUE(ask(ClientAuth::require, good));
  EXPECT_FALSE(ask(ClientAuth::require, ""));
  EXPECT_FALSE(ask(ClientAuth::require, strange));
  EXPECT_TRUE(ask(ClientAuth::request, good));
  EXPECT_TRUE(ask(ClientAuth::request, ""));
  EXPECT_FALSE(ask(ClientAuth::request, strange));
  EXPECT_TRUE(ask(ClientAuth::none, strange));
}

TEST(TlsServer, ResumesSessionsOfClientsWithCertificates) {
  const Authority authority;
  ServerTlsOptions tls;
  tls.client_auth = ClientAuth::require;
  tls.client_ca = authority.certificate();
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")}, tls)));
  TlsPeer::Options options;
  options.certificate = authority.issue("client.pem");
  auto first = TlsPeer::connect(server.port(), options);
  first.send(kGet);
  first.read_to_end();
  options.session = first.session();
  auto second = TlsPeer::connect(server.port(), options);
  EXPECT_TRUE(second.resumed());
  second.send(kGet);
  EXPECT_EQ(body_of(second.read_to_end()), "/x over TLS from 127.0.0.1");
}

TEST(TlsServer, ReloadsItsCertificatesForNewConnections) {
  const Authority authority;
  const Authority next("Next Authority");
  const auto file = authority.issue("a.pem");
  const auto tls = make_tls({file});
  TestServer server(describe, with_tls(tls));
  TlsPeer::Options old;
  old.ca = authority.certificate();
  TlsPeer::Options fresh;
  fresh.ca = next.certificate();
  auto kept = TlsPeer::connect(server.port(), old);
  ASSERT_EQ(kept.error(), "");

  std::filesystem::copy(next.issue("a.pem"), file, std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(tls->reload());
  EXPECT_EQ(TlsPeer::connect(server.port(), fresh).error(), "");
  EXPECT_NE(TlsPeer::connect(server.port(), old).error(), "");
  kept.send(kGet);
  EXPECT_EQ(body_of(kept.read_to_end()), "/x over TLS from 127.0.0.1");

  authority.directory().write("a.pem", "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n");
  EXPECT_FALSE(tls->reload());
  EXPECT_EQ(TlsPeer::connect(server.port(), fresh).error(), "");
  std::filesystem::remove(file);
  EXPECT_FALSE(tls->reload());
  EXPECT_EQ(TlsPeer::connect(server.port(), fresh).error(), "");
}

TEST(TlsServer, FindsOutByItselfThatAFileHasChanged) {
  const Authority authority;
  const auto file = authority.issue("a.pem");
  TestServer server(describe, with_tls(make_tls({file})));
  ASSERT_EQ(TlsPeer::connect(server.port()).error(), "");
  const Authority next;
  std::filesystem::rename(next.issue("a.pem"), file);
  TlsPeer::Options fresh;
  fresh.ca = next.certificate();
  const auto until = soon();
  while (TlsPeer::connect(server.port(), fresh).error() != "") {
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
}

TEST(TlsServer, NamesTheFileThatCannotBeUsed) {
  const Authority authority;
  const auto a = authority.issue("a.pem");
  const auto b = authority.issue("b.pem");
  const auto fault = [](ServerTlsOptions options) -> std::string {
    try {
      const ServerTls tls(std::move(options));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  ServerTlsOptions options;
  options.certificates = {{"/no/such.pem", a}};
  EXPECT_NE(fault(options).find("\"/no/such.pem\": No such file"), std::string::npos) << fault(options);
  options.certificates = {{a, b}};
  EXPECT_NE(fault(options).find("b.pem\": key values mismatch"), std::string::npos) << fault(options);
  options.certificates = {{a, authority.certificate()}};
  EXPECT_NE(fault(options).find("no private key"), std::string::npos) << fault(options);
  options.certificates = {{a, a}};
  options.client_auth = ClientAuth::require;
  options.client_ca = "/no/ca.pem";
  EXPECT_NE(fault(options).find("/no/ca.pem"), std::string::npos) << fault(options);
}

TEST(TlsServer, AnswersPlainHttpInTheClear) {
  const Authority authority;
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")})));
  const auto response = server.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 400 ")) << response;
  EXPECT_NE(response.find("A plain HTTP request was sent to a TLS port."), std::string::npos);
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
}

TEST(TlsServer, EndsAHandshakeThatDoesNotCome) {
  const Authority authority;
  auto options = with_tls(make_tls({authority.issue("a.pem")}));
  options.handshake_timeout = std::chrono::milliseconds(50);
  TestServer server(describe, options);
  EXPECT_TRUE(server.connect().at_end());
  auto slow = server.connect();
  slow.send(std::string_view("\x16\x03\x01\x02\x00\x01", 6));  // a ClientHello of 512 bytes, begun
  EXPECT_TRUE(slow.at_end());
  EXPECT_EQ(server.exchange("no TLS and no HTTP\r\n\r\n").substr(0, 5), "");
}

// A body that ends with the connection is complete only when close_notify says so.
TEST(TlsServer, ABodyThatIsCutShortDoesNotLookComplete) {
  const Authority authority;
  const auto read_all_of = [&](const boost::system::error_code& failure) {
    Handler handler = [failure](Request&) -> Task<Response> {
      Response response;
      std::vector<std::string> pieces{"some"};
      response.body = std::make_unique<PieceSource>(std::move(pieces), std::nullopt, failure);
      co_return response;
    };
    TestServer server(std::move(handler), with_tls(make_tls({authority.issue("a.pem")})));
    auto peer = TlsPeer::connect(server.port());
    peer.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
    EXPECT_EQ(body_of(peer.read_to_end()), "some");
    return peer.ended_cleanly();
  };
  EXPECT_TRUE(read_all_of({}));
  EXPECT_FALSE(read_all_of(Error::incomplete_body));
}

TEST(TlsServer, StopsWithHandshakesInProgress) {
  const Authority authority;
  TestServer server(describe, with_tls(make_tls({authority.issue("a.pem")})));
  auto silent = server.connect();
  auto idle = TlsPeer::connect(server.port());
  idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  idle.read_until("127.0.0.1");
  server.loops().run([&]() -> Task<void> { co_await server.server().stop(kPatience); });
  EXPECT_TRUE(silent.at_end());
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_TRUE(idle.ended_cleanly());
}

}  // namespace
}  // namespace tessera::http::testing
