// The real program with TLS on both sides, and the clients that people use: curl and openssl s_client.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "tests/end_to_end/patience.h"
#include "tests/support/certificates.h"
#include "tests/support/programs.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {
namespace {

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

// [tls] with these files, and what else belongs to it.
std::string tls_section(const std::vector<std::string>& files, const std::string& more = "") {
  std::string list;
  for (const auto& file : files) list += (list.empty() ? "" : ", ") + quoted(file);
  return "[tls]\naddress = \"127.0.0.1:0\"\ncertificates = [" + list + "]\n" + more;
}

struct Ran {
  int status = -1;
  std::string output;
  std::string errors;
};

Ran run(const std::string& program, const std::vector<std::string>& arguments) {
  Process process(program, arguments);
  Ran ran;
  ran.status = process.wait().value_or(-1);
  ran.output = process.output();
  ran.errors = process.errors();
  return ran;
}

// curl that trusts the authority, for an URL of that authority.
Ran curl(const Authority& authority, const std::string& url, std::vector<std::string> more = {}) {
  more.insert(more.end(),
              {"--silent", "--show-error", "--max-time", "20", "--cacert", authority.certificate(), url});
  return run("curl", more);
}

ScriptedReply tell_request(const SeenRequest& request) {
  return json_reply("\"" + request.target + " by " + request.field("X-Forwarded-Proto") + " for " +
                    request.field("X-Forwarded-For") + "\"");
}

TEST(Tls, CurlSpeaksItInBothVersionsBesideThePlainListener) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  ProxyProgram proxy(origin.url(), {}, tls_section({authority.issue("a.pem")}));
  const auto url = "https://" + proxy.tls_authority() + "/x";
  for (const std::string version : {"1.2", "1.3"}) {
    const auto got = curl(authority, url, {"--tlsv" + version, "--tls-max", version, "--http1.1", "-D", "-"});
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.output.find("HTTP/1.1 200"), std::string::npos) << got.output;
    EXPECT_NE(got.output.find("\"/x by https for 127.0.0.1\""), std::string::npos) << got.output;
  }
  EXPECT_EQ(proxy.get("/x").body, "\"/x by http for 127.0.0.1\"");
  EXPECT_EQ(curl(authority, url, {"--http2"}).status, 0);  // offers both, and takes HTTP/1.1
  EXPECT_EQ(proxy.process().terminate(), 0);
}

TEST(Tls, CurlChoosesTheCertificateByName) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  ProxyProgram proxy(origin.url(), {},
                     tls_section({authority.issue("a.pem", {.names = "DNS:a.test"}),
                                  authority.issue("b.pem", {.names = "DNS:*.b.test"})}));
  const auto authority_part = proxy.tls_authority();
  const auto port = authority_part.substr(authority_part.rfind(':'));
  for (const std::string name : {"a.test", "x.b.test"}) {
    const auto got =
        curl(authority, "https://" + name + port + "/", {"--resolve", name + port + ":127.0.0.1"});
    EXPECT_EQ(got.status, 0) << got.errors;
  }
  EXPECT_EQ(
      curl(authority, "https://c.test" + port + "/", {"--resolve", "c.test" + port + ":127.0.0.1"}).status,
      60);
}

TEST(Tls, CurlShowsItsCertificateOrIsRefused) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  ProxyProgram proxy(origin.url(), {},
                     tls_section({authority.issue("a.pem")}, "client_auth = \"require\"\nclient_ca = " +
                                                                 quoted(authority.certificate()) + "\n"));
  const auto url = "https://" + proxy.tls_authority() + "/";
  EXPECT_EQ(curl(authority, url, {"--cert", authority.issue("client.pem")}).status, 0);
  const auto refused = curl(authority, url);
  EXPECT_NE(refused.status, 0);
  EXPECT_EQ(refused.output, "");
  EXPECT_EQ(origin.requests().size(), 1u);
}

TEST(Tls, OpensslResumesItsSession) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  ProxyProgram proxy(origin.url(), {}, tls_section({authority.issue("a.pem")}));
  const auto session = authority.directory().file("session.pem");
  const auto connect = [&](const std::string& way) {
    // The request is read from a file, and the session arrives with the answer.
    const auto request =
        authority.directory().write("request", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    return run("sh",
               {"-c", "openssl s_client -connect " + proxy.tls_authority() + " -CAfile " +
                          authority.certificate() + " -ign_eof " + way + " " + session + " < " + request});
  };
  for (const std::string version : {"-tls1_2", "-tls1_3"}) {
    const auto first = connect(version + " -sess_out");
    EXPECT_NE(first.output.find("New, TLSv1."), std::string::npos) << first.output << first.errors;
    const auto second = connect(version + " -sess_in");
    EXPECT_NE(second.output.find("Reused, TLSv1."), std::string::npos) << second.output << second.errors;
    EXPECT_NE(second.output.find("HTTP/1.1 200"), std::string::npos) << second.output;
  }
}

TEST(Tls, OpensslMayNotRenegotiate) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  ProxyProgram proxy(origin.url(), {}, tls_section({authority.issue("a.pem")}));
  const auto commands = authority.directory().write("commands", "R\n");
  const auto got =
      run("sh", {"-c", "openssl s_client -tls1_2 -connect " + proxy.tls_authority() + " < " + commands});
  EXPECT_NE((got.output + got.errors).find("no renegotiation"), std::string::npos)
      << got.output << got.errors;
}

TEST(Tls, ReloadsCertificatesUnderClientsWithoutAnError) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  const auto file = authority.issue("a.pem");
  ProxyProgram proxy(origin.url(), {}, tls_section({file}));
  const auto url = "https://" + proxy.tls_authority() + "/";
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::thread clients([&] {
    while (!stop) failures += curl(authority, url, {"--write-out", "%{http_code}", url, url}).status != 0;
  });
  for (int i = 0; i < 3; ++i) {
    const auto before = proxy.process().errors().size();
    authority.issue("a.pem");
    EXPECT_TRUE(becomes([&] {
      return proxy.process().errors().find("certificates have been read again", before) != std::string::npos;
    }));
  }
  authority.directory().write("a.pem", "nothing");
  proxy.process().wait_for_line("the certificates of before stay in use");
  stop = true;
  clients.join();
  EXPECT_EQ(failures, 0);
}

// Two proxies in a row, with TLS between them.
TEST(Tls, VerifiesAnHttpsOriginAndTellsTheClientNothingInternal) {
  const Authority authority;
  const Authority stranger;
  ScriptedOrigin origin(tell_request);
  ProxyProgram behind(origin.url(), {}, tls_section({authority.issue("a.pem", {.names = "DNS:localhost"})}));
  const auto port = behind.tls_authority().substr(behind.tls_authority().rfind(':'));
  const auto trusting = [](const Authority& whom) {
    return "[origin]\ntls_ca = " + quoted(whom.certificate()) + "\n";
  };

  ProxyProgram good("https://localhost" + port, {}, trusting(authority));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(good.get("/y").body, "\"/y by https for 127.0.0.1\"");

  ProxyProgram wrong_name("https://127.0.0.1" + port, {}, trusting(authority));
  const auto refused = wrong_name.get("/y");
  EXPECT_EQ(refused.status, 502);
  EXPECT_EQ(refused.body.find("mismatch"), std::string::npos) << refused.body;
  wrong_name.process().wait_for_line("IP address mismatch");

  ProxyProgram unknown("https://localhost" + port, {}, trusting(stranger));
  EXPECT_EQ(unknown.get("/y").status, 502);
  unknown.process().wait_for_line("self-signed certificate in certificate chain");
  EXPECT_EQ(origin.requests().size(), 3u);
}

TEST(Tls, DoesNotStartWithFilesThatCannotBeUsed) {
  const Authority authority;
  const auto refuse = [&](const std::string& config) {
    const auto file = authority.directory().write("tessera.toml", config);
    return run(proxy_program(), {"--config", file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                                 "--origin", "https://a.test"});
  };
  const auto missing = refuse(tls_section({"/no/such.pem"}));
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.errors.find("[tls] no certificate can be read from \"/no/such.pem\""), std::string::npos)
      << missing.errors;
  const auto no_ca = refuse("[origin]\ntls_ca = \"/no/ca.pem\"\n");
  EXPECT_EQ(no_ca.status, 1);
  EXPECT_NE(no_ca.errors.find("[origin] no authorities' certificates can be read from \"/no/ca.pem\""),
            std::string::npos)
      << no_ca.errors;
  EXPECT_EQ(refuse(tls_section({}, "client_auth = \"require\"\n")).status, 2);
}

TEST(ProxyProtocol, NamesTheClientOnBothListeners) {
  const Authority authority;
  ScriptedOrigin origin(tell_request);
  ProxyProgram proxy(origin.url(), {},
                     "[listen]\nproxy_protocol = \"required\"\nproxy_protocol_from = [\"127.0.0.0/8\"]\n" +
                         tls_section({authority.issue("a.pem")}, "proxy_protocol = \"required\"\n"));
  // curl names itself as the client.
  const auto plain = curl(authority, proxy.url("/x"), {"--haproxy-protocol"});
  EXPECT_EQ(plain.output, "\"/x by http for 127.0.0.1\"") << plain.errors;
  const auto secure = curl(authority, "https://" + proxy.tls_authority() + "/x", {"--haproxy-protocol"});
  EXPECT_EQ(secure.output, "\"/x by https for 127.0.0.1\"") << secure.errors;
  EXPECT_NE(curl(authority, proxy.url("/x")).status, 0);
  Connection connection(proxy.url());
  connection.send_raw("PROXY TCP4 192.0.2.7 127.0.0.1 4711 80\r\n");
  EXPECT_EQ(connection.get("/x").body, "\"/x by http for 192.0.2.7\"");
}

}  // namespace
}  // namespace tessera::test
