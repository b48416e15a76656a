// Long bodies through the pass route: bytes are right, memory stays small, and nothing waits for the end.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "proxy/pass_route.h"
#include "tests/http/harness.h"
#include "tests/proxy/pass_rig.h"
#include "tests/support/gate.h"
#include "tests/support/http_request.h"
#include "tests/support/scripted_origin.h"

namespace tessera::proxy {
namespace {

using namespace std::chrono_literals;
using test::PassRig;

constexpr std::size_t kMebibyte = 1024 * 1024;
constexpr std::size_t kLong = 64 * kMebibyte;
// More than every buffer on the way together, and far less than the body. What the kernel holds does not
// count.
constexpr std::size_t kGrowth = 16 * kMebibyte;
constexpr std::size_t kPeriod = 251;  // no multiple of it is a buffer's size

// Byte n of every body is n modulo kPeriod.
class Pattern {
 public:
  Pattern() : bytes_(kPeriod + kMebibyte, '\0') {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<char>(i % kPeriod);
  }
  std::string_view at(std::uint64_t position, std::size_t count) const {
    return std::string_view(bytes_).substr(position % kPeriod, count);
  }

 private:
  std::string bytes_;
};

const Pattern& pattern() {
  static const Pattern bytes;
  return bytes;
}

// Takes a body in pieces.
class Check {
 public:
  void take(std::string_view piece) {
    while (!piece.empty()) {
      const auto part = piece.substr(0, kMebibyte);
      right_ = right_ && part == pattern().at(total_, part.size());
      total_ += part.size();
      piece.remove_prefix(part.size());
    }
  }
  bool right() const { return right_; }
  std::uint64_t total() const { return total_; }

 private:
  bool right_ = true;
  std::uint64_t total_ = 0;
};

class PatternBody final : public http::BodySource {
 public:
  PatternBody(std::uint64_t size, bool tells_length) : size_(size), tells_length_(tells_length) {}
  std::optional<std::uint64_t> length() const override {
    return tells_length_ ? std::optional<std::uint64_t>(size_) : std::nullopt;
  }
  http::Task<http::Result<std::size_t>> read_some(std::span<char> buffer, http::Deadline) override {
    const auto left = static_cast<std::size_t>(size_ - position_);
    const auto piece = pattern().at(position_, std::min({buffer.size(), left, kMebibyte}));
    std::memcpy(buffer.data(), piece.data(), piece.size());
    position_ += piece.size();
    co_return piece.size();
  }

 private:
  std::uint64_t size_;
  bool tells_length_;
  std::uint64_t position_ = 0;
};

// Answers GET with `size` bytes, and anything else with "right" or "wrong" and the number of bytes that came.
http::Handler streaming_origin(std::size_t size, bool tells_length, std::function<void()> on_piece = {}) {
  return [=](http::Request& request) -> http::Task<http::Response> {
    http::Response response;
    if (request.head.method == "GET") {
      response.body = std::make_unique<PatternBody>(size, tells_length);
      co_return response;
    }
    Check check;
    std::string buffer(kMebibyte, '\0');
    for (;;) {
      const auto read = co_await request.body->read_some(buffer, http::kNoDeadline);
      if (!read || *read == 0) break;
      check.take(std::string_view(buffer).substr(0, *read));
      if (on_piece) on_piece();
    }
    response.body = (check.right() ? "right " : "wrong ") + std::to_string(check.total());
    co_return response;
  };
}

std::string url_of(const http::testing::TestServer& server) {
  return "http://127.0.0.1:" + std::to_string(server.port());
}

// Proxy, origin and client are all in this process.
std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class Growth {
 public:
  void sample() { most_ = std::max(most_, resident_bytes()); }
  std::size_t bytes() const { return most_ > start_ ? most_ - start_ : 0; }

 private:
  std::size_t start_ = resident_bytes();
  std::size_t most_ = 0;
};

// Reads a response with Content-Length piece by piece; "" when all is right.
std::string read_long_body(test::Connection& client, std::size_t size, Growth& growth) {
  std::string head;
  while (head.find("\r\n\r\n") == std::string::npos) {
    const auto piece = client.read_some();
    if (piece.empty()) return "the head did not come";
    head += piece;
  }
  const auto body = head.find("\r\n\r\n") + 4;
  if (head.find("Content-Length: " + std::to_string(size) + "\r\n") >= body)
    return "no length: " + head.substr(0, body);
  Check check;
  check.take(std::string_view(head).substr(body));
  while (check.total() < size) {
    const auto piece = client.read_some(kMebibyte);
    if (piece.empty()) return "the end came after " + std::to_string(check.total());
    check.take(piece);
    growth.sample();
  }
  return check.right() ? "" : "the bytes differ";
}

TEST(PassStreaming, BringsALongBodyDownWithoutHoldingIt) {
  http::testing::TestServer origin(streaming_origin(kLong, true));
  PassRig proxy(url_of(origin));
  test::Connection client(proxy.url());
  pattern();
  Growth growth;
  ASSERT_TRUE(client.send_raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(read_long_body(client, kLong, growth), "");
  EXPECT_LT(growth.bytes(), kGrowth);
  EXPECT_EQ(proxy.counted(1).bytes_origin, kLong);
  EXPECT_EQ(proxy.counted(1).bytes_sent, kLong);
}

TEST(PassStreaming, TakesALongBodyUpWithoutHoldingIt) {
  http::testing::TestServer origin(streaming_origin(0, true));
  PassRig proxy(url_of(origin));
  for (const bool chunked : {false, true}) {
    test::Connection client(proxy.url());
    pattern();
    Growth growth;
    const std::string framing =
        chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + std::to_string(kLong);
    ASSERT_TRUE(client.send_raw("POST / HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n\r\n"));
    for (std::size_t sent = 0; sent < kLong; sent += kMebibyte) {
      if (chunked) client.send_raw("100000\r\n");
      ASSERT_TRUE(client.send_raw(pattern().at(sent, kMebibyte)));
      if (chunked) client.send_raw("\r\n");
      growth.sample();
    }
    if (chunked) client.send_raw("0\r\n\r\n");
    EXPECT_EQ(client.read_reply("POST").body, "right " + std::to_string(kLong));
    EXPECT_LT(growth.bytes(), kGrowth);
  }
}

TEST(PassStreaming, PassesABodyOfUnknownLengthInChunks) {
  http::testing::TestServer origin(streaming_origin(3 * kMebibyte + 7, false));
  PassRig proxy(url_of(origin));
  test::Connection client(proxy.url());
  for (int round = 0; round < 2; ++round) {
    const auto reply = client.get("/");
    EXPECT_EQ(reply.error, "");
    EXPECT_EQ(reply.field("Transfer-Encoding"), "chunked");
    Check check;
    check.take(reply.body);
    EXPECT_TRUE(check.right());
    EXPECT_EQ(check.total(), 3 * kMebibyte + 7);
  }
}

TEST(PassStreaming, PassesAnEventOnBeforeTheNextOneComes) {
  auto gate = std::make_shared<test::Gate>();
  test::ScriptedOrigin origin([gate](const test::SeenRequest&) {
    test::ScriptedReply reply;
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    const std::string event = "9\r\ndata: 1\n\n\r\n";
    reply.raw = head + event + "9\r\ndata: 2\n\n\r\n0\r\n\r\n";
    reply.pause_at = gate;
    reply.pause_after = head.size() + event.size();
    return reply;
  });
  PassRig proxy(origin.url());
  test::Connection client(proxy.url());
  ASSERT_TRUE(client.send_raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  std::string received;
  while (received.find("data: 1") == std::string::npos) {
    const auto piece = client.read_some();
    ASSERT_NE(piece, "");
    received += piece;
  }
  EXPECT_EQ(received.find("data: 2"), std::string::npos);
  gate->open();
  EXPECT_NE(client.read_to_end().find("data: 2"), std::string::npos);
}

TEST(PassStreaming, LetsAnUploadTakeLongerThanTheAnswerMay) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t pieces = 0;
  http::testing::TestServer origin(streaming_origin(0, true, [&] {
    const std::lock_guard lock(mutex);
    ++pieces;
    changed.notify_all();
  }));
  PassOptions options;
  options.response_timeout = 500ms;
  PassRig proxy(url_of(origin), options);
  test::Connection client(proxy.url());
  ASSERT_TRUE(client.send_raw("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  // Byte by byte, each one when the origin has got the one before: the body moves on all the time.
  const auto end = std::chrono::steady_clock::now() + 3 * options.response_timeout;
  std::size_t sent = 0;
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_TRUE(client.send_raw("1\r\n" + std::string(pattern().at(sent, 1)) + "\r\n"));
    ++sent;
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, test::Gate::kLimit, [&] { return pieces == sent; }));
  }
  ASSERT_TRUE(client.send_raw("0\r\n\r\n"));
  EXPECT_EQ(client.read_reply("POST").body, "right " + std::to_string(sent));
}

TEST(PassStreaming, TellsTheOriginThatTheClientLeftItsUpload) {
  std::atomic<bool> incomplete{false};
  test::Gate seen;
  http::testing::TestServer origin([&](http::Request& request) -> http::Task<http::Response> {
    char buffer[1024];
    for (;;) {
      const auto read = co_await request.body->read_some(buffer, http::kNoDeadline);
      if (read && *read != 0) continue;
      incomplete = !read;
      break;
    }
    seen.open();
    co_return http::Response{};
  });
  PassRig proxy(url_of(origin));
  test::Connection client(proxy.url());
  ASSERT_TRUE(client.send_raw("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nonly this"));
  client.finish_sending();
  EXPECT_TRUE(seen.pass());
  EXPECT_TRUE(incomplete);
}

}  // namespace
}  // namespace tessera::proxy
