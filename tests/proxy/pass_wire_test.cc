// What the pass route does between two sockets that a test holds in its hands: clients that leave, interim
// responses, upgrades, trailers, limits.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/http/harness.h"
#include "tests/proxy/pass_rig.h"
#include "tests/support/http_request.h"

namespace tessera::proxy {
namespace {

using namespace std::chrono_literals;
using http::testing::Listening;
using http::testing::Socket;
using std::chrono::steady_clock;

constexpr std::string_view kHeadEnd = "\r\n\r\n";

class PassWire : public ::testing::Test {
 protected:
  Socket connect() { return Socket::connect(test::parse_url(proxy_.url()).port); }

  Listening origin_;
  test::PassRig proxy_{"http://127.0.0.1:" + std::to_string(origin_.port()), [] {
                         PassOptions options;
                         options.body_bytes = 10;
                         return options;
                       }()};
};

TEST_F(PassWire, AClientThatLeavesEndsTheExchangeOfASlowOrigin) {
  auto client = connect();
  client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  auto origin = origin_.accept();
  EXPECT_NE(origin.read_until(kHeadEnd), "");
  const auto left = steady_clock::now();
  client.close();
  EXPECT_TRUE(origin.at_end());
  EXPECT_LT(steady_clock::now() - left, 1s);
}

TEST_F(PassWire, AClientThatLeavesEndsAnEventStream) {
  auto client = connect();
  client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  auto origin = origin_.accept();
  origin.read_until(kHeadEnd);
  origin.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
  EXPECT_NE(client.read_until(kHeadEnd), "");  // before any event
  origin.send("data: 1\n\n");
  EXPECT_EQ(client.read_until("data: 1\n\n"), "9\r\ndata: 1\n\n");
  const auto left = steady_clock::now();
  client.close();
  EXPECT_TRUE(origin.at_end());
  EXPECT_LT(steady_clock::now() - left, 1s);
}

TEST_F(PassWire, RelaysInterimResponses) {
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto origin = origin_.accept();
  origin.read_until(kHeadEnd);
  origin.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  EXPECT_EQ(client.read_until(kHeadEnd), "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  origin.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(client.read_response().body, "ok");
  client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  origin.read_until(kHeadEnd);
  origin.send("HTTP/1.1 204\r\n\r\n");  // no blank behind the code
  EXPECT_EQ(client.read_response().status(), 204);
}

TEST_F(PassWire, AnOriginsOwn100DoesNotEndTheUpload) {
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\none");
  auto origin = origin_.accept();
  origin.read_until(kHeadEnd);
  EXPECT_EQ(origin.read_exactly(3), "one");
  origin.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n");
  client.send("two");
  EXPECT_EQ(origin.read_exactly(3), "two");
  EXPECT_EQ(client.read_until(kHeadEnd), "HTTP/1.1 103 Early Hints\r\n\r\n");
  origin.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(client.read_response().body, "ok");
}

TEST_F(PassWire, TunnelsAWebSocket) {
  auto client = connect();
  client.send(
      "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  auto origin = origin_.accept();
  const auto request = origin.read_until(kHeadEnd);
  EXPECT_NE(request.find("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"), std::string::npos) << request;
  EXPECT_NE(request.find("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"), std::string::npos)
      << request;
  // The masked "Hello" of RFC 6455 5.7, back unmasked.
  const std::string masked("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
  const std::string plain("\x81\x05Hello", 7);
  origin.send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n" +
      plain);
  const auto head = client.read_until(kHeadEnd);
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
  EXPECT_NE(head.find("\r\nUpgrade: websocket\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("\r\nConnection: Upgrade\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), std::string::npos)
      << head;
  EXPECT_EQ(client.read_exactly(7), plain);
  client.send(masked);
  EXPECT_EQ(origin.read_exactly(11), masked);
  client.finish_sending();
  EXPECT_TRUE(origin.at_end());
  origin.send(plain);  // the other direction goes on
  EXPECT_EQ(client.read_exactly(7), plain);
  origin.close();
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(proxy_.counted(1).status_classes[1].load(), 1u);
}

TEST_F(PassWire, AnUpgradeThatTheOriginDoesNotTakeIsAnsweredAsUsual) {
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  auto origin = origin_.accept();
  origin.read_until(kHeadEnd);
  origin.send("HTTP/1.1 200 OK\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nok");
  const auto response = client.read_response();
  EXPECT_EQ(response.body, "ok");
  EXPECT_EQ(response.field("Upgrade"), "");
  client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(origin.read_until(kHeadEnd).find("/next"), std::string::npos);
}

TEST_F(PassWire, TellsTheClientWhichProtocolA426Wants) {
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto origin = origin_.accept();
  origin.read_until(kHeadEnd);
  origin.send(
      "HTTP/1.1 426 Upgrade Required\r\nConnection: upgrade\r\nUpgrade: websocket, x/2\r\n"
      "Content-Length: 2\r\n\r\nno");
  const auto response = client.read_response();
  EXPECT_EQ(response.status(), 426);
  EXPECT_EQ(response.field("Upgrade"), "websocket, x/2");
  EXPECT_EQ(response.field("Connection"), "Upgrade");
  EXPECT_EQ(response.body, "no");
  client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(origin.read_until(kHeadEnd).find("/next"), std::string::npos);
}

TEST_F(PassWire, NeverOffersAnUncheckedHttp2) {
  auto client = connect();
  client.send(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
      "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n");
  auto origin = origin_.accept();
  const auto request = origin.read_until(kHeadEnd);
  EXPECT_EQ(request.find("Upgrade"), std::string::npos) << request;
  EXPECT_EQ(request.find("HTTP2"), std::string::npos) << request;
}

TEST_F(PassWire, RelaysTrailersBothWays) {
  auto client = connect();
  client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nTE: trailers, deflate\r\nConnection: TE\r\nTransfer-Encoding: "
      "chunked\r\n"
      "Trailer: X-Up\r\n\r\n2\r\nup\r\n0\r\nX-Up: 1\r\nHost: b\r\n\r\n");
  auto origin = origin_.accept();
  const auto request = origin.read_until(kHeadEnd);
  EXPECT_NE(request.find("\r\nTE: trailers\r\nConnection: TE\r\n"), std::string::npos) << request;
  EXPECT_EQ(origin.read_until(kHeadEnd), "2\r\nup\r\n0\r\nX-Up: 1\r\n\r\n");
  origin.send(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Down\r\n\r\n"
      "4\r\ndown\r\n0\r\nX-Down: 1\r\nSet-Cookie: a=b\r\n\r\n");
  EXPECT_NE(client.read_until(kHeadEnd), "");
  EXPECT_EQ(client.read_until(kHeadEnd), "4\r\ndown\r\n0\r\nX-Down: 1\r\n\r\n");
}

TEST_F(PassWire, DropsTrailersForAClientThatDoesNotTakeThem) {
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto origin = origin_.accept();
  EXPECT_EQ(origin.read_until(kHeadEnd).find("TE:"), std::string::npos);
  origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndown\r\n0\r\nX-Down: 1\r\n\r\n");
  EXPECT_NE(client.read_until(kHeadEnd), "");
  EXPECT_EQ(client.read_until(kHeadEnd), "4\r\ndown\r\n0\r\n\r\n");
}

TEST_F(PassWire, PassesOptionsOfTheServerOn) {
  auto client = connect();
  client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 3\r\n\r\n");
  auto origin = origin_.accept();
  const auto request = origin.read_until(kHeadEnd);
  EXPECT_TRUE(request.starts_with("OPTIONS * HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("\r\nMax-Forwards: 2\r\n"), std::string::npos) << request;
  origin.send("HTTP/1.1 204 No Content\r\nAllow: GET\r\n\r\n");
  EXPECT_EQ(client.read_response().field("Allow"), "GET");
  client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n");
  EXPECT_NE(client.read_response().field("Allow"), "GET");
}

TEST_F(PassWire, RefusesALargeBodyBeforeItComes) {
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  const auto response = client.read_response();
  EXPECT_EQ(response.status(), 413);
  EXPECT_EQ(response.field("Connection"), "close");
}

TEST_F(PassWire, RefusesABodyThatGrowsTooLarge) {
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
  auto origin = origin_.accept();
  origin.read_until("first\r\n");
  client.send("6\r\nsecond\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_response().status(), 413);
  EXPECT_TRUE(origin.at_end());
}

}  // namespace
}  // namespace tessera::proxy
