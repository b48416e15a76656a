// Who asks, what the request is called, and what the access log says of it.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/patience.h"
#include "tests/proxy/item_origin.h"

namespace tessera::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const std::string kTrust = "[listen]\ntrusted_proxies = [\"127.0.0.0/8\"]\n";

std::vector<ItemOrigin::Item> items() {
  return {item(1, "v1", "one"), item(2, "v1", "two")};
}

// Of each request that the origin has got: work in the background may have made the last one.
std::vector<std::string> values_of(const std::string& field, const ScriptedOrigin& origin) {
  std::vector<std::string> values;
  for (const auto& seen : origin.requests()) values.push_back(seen.field(field));
  return values;
}

// complaints.md C10: a client's own X-Forwarded-Host must not come into what others get.
TEST(Trust, LetsNoClientWriteWhatOthersRead) {
  ItemOrigin origin(items());
  ProxyProgram proxy(origin.url(), {}, item_config());
  proxy.get("/items",
            {{"X-Forwarded-Host", "evil"}, {"X-Forwarded-Proto", "https"}, {"Forwarded", "host=evil"}});
  EXPECT_TRUE(proxy.comes_to_hit("/items"));
  for (const auto& seen : origin.server().requests()) {
    EXPECT_EQ(seen.field("X-Forwarded-Host"), parse_url(proxy.url()).authority());
    EXPECT_EQ(seen.field("X-Forwarded-Proto"), "http");
    EXPECT_THAT(seen.field("Forwarded"), Not(HasSubstr("evil")));
  }
}

TEST(Trust, KeepsApartWhatATrustedPeerSaysDiffers) {
  ItemOrigin origin(items());
  ProxyProgram proxy(origin.url(), {}, kTrust + item_config());
  const FieldLines shop{{"X-Forwarded-Host", "shop.example"}, {"X-Forwarded-For", "203.0.113.9"}};
  proxy.get("/items", shop);
  EXPECT_THAT(values_of("X-Forwarded-Host", origin.server()), Contains("shop.example"));
  EXPECT_TRUE(proxy.comes_to_hit("/items", shop));
  EXPECT_THAT(proxy.get("/items", {{"X-Forwarded-Host", "other"}}).field("Cache-Status"),
              Not(HasSubstr("hit")));
  EXPECT_THAT(proxy.get("/items", {{"X-Forwarded-Proto", "https"}}).field("Cache-Status"),
              Not(HasSubstr("hit")));
  EXPECT_THAT(proxy.get("/items", {{"X-Original-URL", "/admin"}}).field("Cache-Status"),
              HasSubstr("overridden"));
  EXPECT_THAT(values_of("X-Original-URL", origin.server()), Contains("/admin"));
  EXPECT_TRUE(proxy.metric_reaches(1, "tessera_passed_total", {"reason=\"overridden\""}));
}

TEST(RequestId, IsOneForClientOriginAndProblem) {
  ScriptedOrigin origin([](const SeenRequest&) {
    return json_reply("{}", {{"X-Request-Id", "the-origins"}});
  });
  ProxyProgram proxy(origin.url());
  const auto reply = proxy.get("/x", {{"X-Request-Id", "the-clients"}});
  EXPECT_EQ(reply.lines("X-Request-Id").size(), 1u);
  EXPECT_EQ(reply.field("X-Request-Id").size(), 15u);
  EXPECT_EQ(origin.requests().back().field("X-Request-Id"), reply.field("X-Request-Id"));
  origin.refuse();
  const auto problem = proxy.get("/x");
  EXPECT_EQ(problem.status, 502);
  EXPECT_THAT(problem.body, HasSubstr("\"request_id\":\"" + problem.field("X-Request-Id") + "\"}"));
  EXPECT_THAT(problem.body, Not(HasSubstr("127.0.0.1")));
}

TEST(RequestId, IsTakenOverFromATrustedPeer) {
  ItemOrigin origin(items());
  ProxyProgram proxy(origin.url(), {}, kTrust + "[log]\ntrace = true\n" + item_config());
  const FieldLines fields{{"X-Request-Id", "theirs"}};
  EXPECT_EQ(proxy.get("/items", fields).field("X-Request-Id"), "theirs");
  EXPECT_EQ(proxy.get("/items", fields).field("X-Request-Id"), "theirs");
  for (const auto& seen : origin.server().requests()) EXPECT_FALSE(seen.has("X-Request-Id"));
  proxy.get("/elsewhere", fields);
  EXPECT_THAT(values_of("X-Request-Id", origin.server()), Contains("theirs"));
  EXPECT_THAT(values_of("traceparent", origin.server()), Contains(SizeIs(55)));
  EXPECT_EQ(proxy.get("/items", {{"X-Request-Id", "not an id"}}).field("X-Request-Id").size(), 15u);
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class AccessLog : public testing::Test {
 protected:
  std::string config(const std::string& more) const {
    return kTrust + "[access_log]\nfile = \"" + file_ + "\"\n" + more + item_config();
  }
  bool has_lines(std::size_t count) const {
    return becomes([&] { return lines_of(file_).size() >= count; });
  }

  TemporaryDirectory directory_;
  const std::string file_ = directory_.file("log");
  ItemOrigin origin_{items()};
};

TEST_F(AccessLog, SaysWhatBecameOfEachRequest) {
  // One event loop: the lines come in order, and nobody joins work that is about to end.
  ProxyProgram proxy(origin_.url(), {"--threads", "1"}, config("format = \"json\"\nquery = false\n"));
  proxy.get("/items?token=secret", {{"X-Forwarded-For", "203.0.113.9"}, {"User-Agent", "a\"b"}});
  proxy.get("/items?token=secret");
  request("POST", proxy.url("/items"));
  ASSERT_TRUE(has_lines(3));
  const auto lines = lines_of(file_);
  EXPECT_THAT(lines[0], HasSubstr(R"("client":"203.0.113.9","method":"GET","target":"/items","protocol")"));
  EXPECT_THAT(lines[0], HasSubstr(R"("route":"items","result":"fill")"));
  EXPECT_THAT(lines[0], HasSubstr(R"("user_agent":"a\"b")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("client":"127.0.0.1")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("result":"hit")"));
  EXPECT_THAT(lines[2], HasSubstr(R"("result":"passed","reason":"method")"));
  EXPECT_EQ(proxy.metric("tessera_access_log_dropped_total"), 0);
  EXPECT_TRUE(proxy.metric_reaches(3, "tessera_access_log_lines_total"));
}

TEST_F(AccessLog, FilesAClientThatLeftUnder499) {
  auto gate = std::make_shared<Gate>();
  origin_.change([&](ItemOrigin::State& state) {
    state.intercept = [gate](const SeenRequest&) -> std::optional<ScriptedReply> {
      gate->pass();
      return std::nullopt;
    };
  });
  ProxyProgram proxy(origin_.url(), {}, config("format = \"json\"\n"));
  for (const char* target : {"/items", "/elsewhere"}) {
    Connection client(proxy.url());
    client.send_raw("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(gate->wait_for_waiting(target == std::string("/items") ? 1 : 2));
  }
  EXPECT_TRUE(has_lines(2));
  for (const auto& line : lines_of(file_)) EXPECT_THAT(line, HasSubstr(R"("status":499)"));
  EXPECT_THAT(lines_of(file_)[0], HasSubstr(R"("result":"departed")"));
  EXPECT_TRUE(proxy.metric_reaches(2, "tessera_responses_total", {"result=\"departed\""}));
  gate->open();
}

TEST_F(AccessLog, HasALineForWhatNoRouteSaw) {
  ProxyProgram proxy(origin_.url(), {}, config("format = \"json\"\n"));
  Connection client(proxy.url());
  client.send_raw("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 400);
  ASSERT_TRUE(has_lines(1));
  EXPECT_THAT(lines_of(file_)[0], HasSubstr(R"("status":400)"));
  EXPECT_THAT(lines_of(file_)[0], HasSubstr(R"("reason":"refused")"));
  EXPECT_EQ(proxy.metric("tessera_refused_total"), 1);
}

TEST_F(AccessLog, WritesErrorsThatTheSampleLeavesOut) {
  ProxyProgram proxy(origin_.url(), {}, config("format = \"combined\"\nsample = 0.0\n"));
  EXPECT_TRUE(proxy.get("/items").ok());
  origin_.server().refuse();
  EXPECT_EQ(proxy.get("/elsewhere").status, 502);
  ASSERT_TRUE(has_lines(1));
  EXPECT_EQ(proxy.process().terminate(), 0);
  EXPECT_EQ(lines_of(file_).size(), 1u);
  EXPECT_THAT(lines_of(file_)[0], HasSubstr("\"GET /elsewhere HTTP/1.1\" 502 "));
}

TEST_F(AccessLog, IsOpenedAnewOnASignal) {
  ProxyProgram proxy(origin_.url(), {}, config("format = \"combined\"\n"));
  for (const int number : {SIGUSR1, SIGHUP}) {
    proxy.get("/items");
    ASSERT_TRUE(has_lines(1));
    std::filesystem::rename(file_, file_ + std::to_string(number));
    proxy.process().signal(number);
    ASSERT_TRUE(becomes([&] { return std::filesystem::exists(file_); }));
  }
}

TEST_F(AccessLog, GoesToStandardOutput) {
  ProxyProgram proxy(origin_.url(), {}, "[access_log]\nformat = \"json\"\n" + item_config());
  proxy.get("/items");
  EXPECT_THAT(proxy.process().wait_for_line("\"route\":\"items\""), HasSubstr("\"status\":200"));
}

}  // namespace
}  // namespace tessera::test
