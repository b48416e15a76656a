#include "http/proxy_protocol.h"

#include <string>

#include <gtest/gtest.h>

#include "http/peer_counts.h"
#include "http/proxy_protocol_fuzz.h"
#include "http/tls_server.h"
#include "tests/corpus/replay.h"
#include "tests/http/tls_peer.h"
#include "tests/support/certificates.h"

namespace tessera::http::testing {
namespace {

using namespace std::string_literals;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;

// Version 2 with a correct length.
std::string binary(unsigned char command, unsigned char family, const std::string& block) {
  std::string out = kSignature;
  out += static_cast<char>(command);
  out += static_cast<char>(family);
  out += static_cast<char>(block.size() >> 8);
  out += static_cast<char>(block.size());
  return out + block;
}

const std::string kIpv4 =
    "\xC0\x00\x02\x07\x0A\x00\x00\x01\x01\xBB\x00\x50"s;  // 192.0.2.7:443 to 10.0.0.1:80
const std::string kIpv6 = "\x20\x01\x0D\xB8"s + std::string(11, '\0') + "\x01"s + std::string(20, '\0');

struct Good {
  std::string bytes;
  std::string address;
};

const std::vector<Good>& good_headers() {
  static const std::vector<Good> kGood{
      {"PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n", "192.0.2.7"},
      {"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"},
      {"PROXY TCP6 2001:db8::1 ::1 0 443\r\n", "2001:db8::1"},
      {"PROXY TCP6 2001:0DB8:0:0:0:0:0:1 ::1 1 443\r\n", "2001:db8::1"},
      {"PROXY UNKNOWN\r\n", ""},
      {"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", ""},
      {binary(0x21, 0x11, kIpv4), "192.0.2.7"},
      {binary(0x21, 0x21, kIpv6), "2001:db8::1"},
      {binary(0x21, 0x31, std::string(216, 'u')), ""},
      {binary(0x21, 0x00, ""), ""},
      {binary(0x21, 0x00, "anything"), ""},
      {binary(0x20, 0x00, ""), ""},
      {binary(0x20, 0x11, "any"), ""},  // LOCAL: what follows is skipped
      {binary(0x21, 0x11, kIpv4 + "\x04\x00\x00"s), "192.0.2.7"},
      {binary(0x21, 0x11, kIpv4 + "\x02\x00\x03"s + "a.b" + "\xE0\x00\x01x"s), "192.0.2.7"},
  };
  return kGood;
}

TEST(ProxyProtocol, NamesTheClient) {
  for (const auto& [bytes, address] : good_headers()) {
    ProxyHeader header;
    ASSERT_EQ(parse_proxy_header(bytes + "GET", header), ProxyVerdict::complete) << bytes;
    EXPECT_EQ(header.size, bytes.size()) << bytes;
    EXPECT_EQ(header.address, address) << bytes;
  }
}

TEST(ProxyProtocol, WaitsForEveryByteOfAHeader) {
  for (const auto& [bytes, address] : good_headers()) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ProxyHeader header;
      EXPECT_EQ(parse_proxy_header(std::string_view(bytes).substr(0, size), header), ProxyVerdict::incomplete)
          << bytes << " after " << size;
    }
  }
}

TEST(ProxyProtocol, RefusesWhatIsNone) {
  const std::vector<std::string> bad{
      "GET / HTTP/1.1\r\n",
      "\x16\x03\x01",
      "proxy TCP4 192.0.2.7 10.0.0.1 1 2\r\n",
      "PROXY\r\nUNKNOWN",
      "PROXY \r\n",
      "PROXY  TCP4 192.0.2.7 10.0.0.1 1 2\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 1\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 1 2 \r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 1 2 3\r\n",
      "PROXY TCP4  192.0.2.7 10.0.0.1 1 2\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 01 2\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 1 65536\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 -1 2\r\n",
      "PROXY TCP4 192.0.2.07 10.0.0.1 1 2\r\n",
      "PROXY TCP4 192.0.2 10.0.0.1 1 2\r\n",
      "PROXY TCP4 ::1 ::1 1 2\r\n",
      "PROXY TCP6 192.0.2.7 10.0.0.1 1 2\r\n",
      "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
      "PROXY TCP4 host 10.0.0.1 1 2\r\n",
      "PROXY UDP4 192.0.2.7 10.0.0.1 1 2\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 1 2\n\r\n",
      "PROXY UNKNOWN" + std::string(200, ' '),
      "PROXY UNKNOWN" + std::string(95, ' ') + "\r\n",
      binary(0x22, 0x11, kIpv4),
      binary(0x11, 0x11, kIpv4),
      binary(0x31, 0x11, kIpv4),
      binary(0x21, 0x12, kIpv4),
      binary(0x21, 0x01, kIpv4),
      binary(0x21, 0x41, kIpv4),
      binary(0x21, 0x11, kIpv4.substr(1)),
      binary(0x21, 0x21, kIpv4),
      binary(0x21, 0x31, std::string(215, 'u')),
      binary(0x21, 0x11, kIpv4 + "\x04\x00"s),
      binary(0x21, 0x11, kIpv4 + "\x04\x00\x01"s),
      binary(0x20, 0x00, std::string(kLongestProxyHeader, 'x')).substr(0, 16),
      kSignature.substr(0, 11) + "\r",
  };
  for (const auto& bytes : bad) {
    ProxyHeader header;
    EXPECT_EQ(parse_proxy_header(bytes, header), ProxyVerdict::invalid) << bytes;
  }
}

TEST(ProxyProtocol, TakesTextLinesUpTo107Bytes) {
  ProxyHeader header;
  const auto longest = "PROXY UNKNOWN" + std::string(92, ' ') + "\r\n";
  ASSERT_EQ(longest.size(), 107u);
  EXPECT_EQ(parse_proxy_header(longest, header), ProxyVerdict::complete);
}

TEST(ProxyProtocolCorpus, Holds) {
  EXPECT_GT(corpus::replay("proxy_protocol", fuzz_proxy_protocol), 1000U);
}

Task<Response> name_peer(Request& request) {
  Response response;
  response.body = request.peer_address;
  co_return response;
}

ServerOptions wanting_header() {
  ServerOptions options;
  options.proxy_protocol = true;
  return options;
}

TEST(ProxyProtocolListener, TakesTheHeadersAddressForThePeers) {
  TestServer server(name_peer, wanting_header());
  for (const auto& [bytes, address] : good_headers()) {
    const auto response = server.exchange(bytes + std::string(kGet));
    EXPECT_TRUE(response.ends_with("\r\n\r\n" + (address.empty() ? "127.0.0.1" : address))) << response;
  }
}

TEST(ProxyProtocolListener, ReadsAHeaderThatComesInPieces) {
  TestServer server(name_peer, wanting_header());
  auto socket = server.connect();
  for (const char byte : good_headers().front().bytes) socket.send({&byte, 1});
  socket.send(kGet);
  EXPECT_TRUE(socket.read_to_end().ends_with("192.0.2.7"));
}

TEST(ProxyProtocolListener, ClosesWithoutAHeader) {
  TestServer server(name_peer, wanting_header());
  EXPECT_EQ(server.exchange(kGet), "");
  auto silent = server.connect();
  silent.finish_sending();
  EXPECT_TRUE(silent.at_end());
  auto options = wanting_header();
  options.head_timeout = std::chrono::milliseconds(50);
  TestServer impatient(name_peer, options);
  auto slow = impatient.connect();
  slow.send("PROXY ");
  EXPECT_TRUE(slow.at_end());
}

TEST(ProxyProtocolListener, TakesHeadersFromSomePeersOnly) {
  auto options = wanting_header();
  options.proxy_protocol_from = {*config::parse_network("10.0.0.0/8")};
  TestServer closed(name_peer, options);
  EXPECT_EQ(closed.exchange(good_headers().front().bytes + std::string(kGet)), "");
  options.proxy_protocol_from.push_back(*config::parse_network("127.0.0.0/8"));
  TestServer open(name_peer, options);
  EXPECT_TRUE(open.exchange(good_headers().front().bytes + std::string(kGet)).ends_with("192.0.2.7"));
}

// A proxy of ours behind a balancer brings many clients, and the balancer names the proxy.
TEST(ProxyProtocolListener, CountsTheNamedClientUnlessItIsAProxyOfOurs) {
  auto options = wanting_header();
  options.peers = std::make_shared<PeerCounts>(1);
  options.uncounted = {*config::parse_network("198.51.100.0/24")};
  TestServer server(name_peer, options);
  for (const std::string client : {"192.0.2.7", "198.51.100.7"}) {
    const auto get = "PROXY TCP4 " + client + " 127.0.0.1 1 2\r\n" + std::string(kGet);
    auto first = server.connect();
    first.send("PROXY TCP4 " + client + " 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(first.read_response().body, client);
    EXPECT_EQ(server.exchange(get).empty(), client == "192.0.2.7") << client;
  }
}

TEST(ProxyProtocolListener, IsNoneUnlessAskedFor) {
  TestServer server(name_peer);
  EXPECT_TRUE(server.exchange(good_headers().front().bytes + std::string(kGet)).starts_with("HTTP/1.1 400"));
}

TEST(ProxyProtocolListener, ReadsTheHeaderBeforeTls) {
  const test::Authority authority;
  const auto file = authority.issue("a.pem");
  ServerTlsOptions tls;
  tls.certificates = {{file, file}};
  auto options = wanting_header();
  options.tls = std::make_shared<ServerTls>(tls);
  TestServer server(name_peer, options);
  auto socket = server.connect();
  socket.send(good_headers().front().bytes);
  auto peer = TlsPeer::over(std::move(socket), {});
  ASSERT_EQ(peer.error(), "");
  peer.send(kGet);
  EXPECT_TRUE(peer.read_to_end().ends_with("192.0.2.7"));
  EXPECT_NE(TlsPeer::connect(server.port()).error(), "");
}

}  // namespace
}  // namespace tessera::http::testing
