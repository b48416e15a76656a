// A client in front of an origin whose words a test writes itself.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "http/client.h"
#include "tests/http/harness.h"

namespace tessera::http::testing {

inline constexpr auto kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// What a test wants to know of an exchange.
struct Got {
  boost::system::error_code error;
  int status = 0;
  Fields fields;
  std::optional<std::uint64_t> length;
  std::string body;
  boost::system::error_code body_error;
};

// A client in front of a scripted origin: the script runs in the test's own thread or in one beside it.
class ClientTest : public ::testing::Test {
 protected:
  void make_client(unsigned short port, ClientOptions options = {}) {
    Origin origin;
    origin.host = "127.0.0.1";
    origin.port = port;
    client_ = std::make_unique<Client>(loops_.executor(), origin, options);
  }
  void SetUp() override { make_client(origin_.port()); }
  void TearDown() override {
    loops_.stop();
    client_.reset();
  }

  Got exchange(RequestHead head, BodySource* body = nullptr, Deadline deadline = soon()) {
    Got got;
    auto run = [&]() -> Task<void> {
      auto response = co_await client_->send(head, body, deadline);
      if (!response) {
        got.error = response.error();
        co_return;
      }
      got.status = response->head.status;
      got.fields = response->head.fields;
      got.length = response->body->length();
      const auto bytes = co_await read_all(*response->body, 10'000'000, deadline);
      if (bytes) got.body = *bytes;
      if (!bytes) got.body_error = bytes.error();
    };
    loops_.run(run);
    return got;
  }
  Got get(std::string target = "/", Deadline deadline = soon()) {
    RequestHead head;
    head.target = std::move(target);
    return exchange(head, nullptr, deadline);
  }

  // Answers the next request on a fresh connection and keeps it.
  std::future<Socket> answer_once(std::string reply) {
    return std::async(std::launch::async, [this, reply] {
      auto socket = origin_.accept();
      socket.read_until("\r\n\r\n");
      socket.send(reply);
      return socket;
    });
  }

  Loops loops_;
  Listening origin_;
  std::unique_ptr<Client> client_;
};

}  // namespace tessera::http::testing
