// Each hostile request is sent twice to a real server, whole and byte by byte, with a good request behind it:
// one refusal, the connection closed, and the handler never called.
#include <atomic>

#include <gtest/gtest.h>

#include "tests/http/harness.h"
#include "tests/http/hostile_requests.h"

namespace tessera::http {
namespace {

using testing::hostile_requests;
using testing::HostileRequest;
using testing::TestServer;

constexpr std::string_view kInnocent = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

class HostileRequests : public ::testing::TestWithParam<HostileRequest> {};

TEST_P(HostileRequests, AreRefusedAndNothingBehindThemIsServed) {
  std::atomic<int> calls = 0;
  auto count = [&](Request&) -> Task<Response> {
    ++calls;
    co_return Response{};
  };
  TestServer server(count);
  const auto& hostile = GetParam();
  const auto whole = server.exchange(hostile.bytes + std::string(kInnocent));
  EXPECT_TRUE(whole.starts_with("HTTP/1.1 " + std::to_string(hostile.status) + " ")) << whole;
  EXPECT_NE(whole.find("\r\nConnection: close\r\n"), std::string::npos) << whole;
  EXPECT_NE(whole.find("application/problem+json"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("HTTP/1.1", 1), std::string::npos) << whole;

  auto socket = server.connect();
  for (const char byte : hostile.bytes) {
    if (!socket.send({&byte, 1})) break;
  }
  socket.send(kInnocent);
  socket.finish_sending();
  const auto pieces = socket.read_to_end();
  EXPECT_TRUE(pieces.starts_with("HTTP/1.1 " + std::to_string(hostile.status) + " ")) << pieces;
  EXPECT_EQ(pieces.find("HTTP/1.1", 1), std::string::npos) << pieces;
  EXPECT_EQ(calls, 0);
}

INSTANTIATE_TEST_SUITE_P(Table, HostileRequests, ::testing::ValuesIn(hostile_requests()),
                         [](const auto& hostile) { return std::string(hostile.param.name); });

struct HostileChunks {
  std::string_view name;
  std::string bytes;
};

std::ostream& operator<<(std::ostream& out, const HostileChunks& chunks) {
  return out << chunks.name;
}

class HostileChunkedBodies : public ::testing::TestWithParam<HostileChunks> {};

TEST_P(HostileChunkedBodies, FailAsABodyAndCloseTheConnection) {
  auto consume = [](Request& request) -> Task<Response> {
    const auto body = co_await read_all(*request.body, 1'000'000, testing::soon());
    co_return problem(body ? 200 : 400, body ? *body : body.error().message());
  };
  TestServer server(consume);
  const auto reply = server.exchange("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                     GetParam().bytes + std::string(kInnocent));
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 400 ")) << reply;
  EXPECT_EQ(reply.find("HTTP/1.1", 1), std::string::npos) << reply;
}

INSTANTIATE_TEST_SUITE_P(
    Table, HostileChunkedBodies,
    ::testing::Values(HostileChunks{"JunkBehindSize", "5x\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"NoSize", "\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"NegativeSize", "-5\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"SizePrefix", "0x5\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"HugeSize", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"BareLineFeed", "5\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"LongerThanSize", "4\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"ShorterThanSize", "6\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"LineFeedInExtension", "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"LongExtension",
                                    "5;a=" + std::string(300, 'b') + "\r\nhello\r\n0\r\n\r\n"},
                      HostileChunks{"EndlessExtension", "5;a=" + std::string(200'000, 'b')},
                      HostileChunks{"EndlessTrailer", "0\r\nA: " + std::string(200'000, 'b')},
                      HostileChunks{"BadTrailer", "0\r\nA b\r\n\r\n"}),
    [](const auto& hostile) { return std::string(hostile.param.name); });

}  // namespace
}  // namespace tessera::http
