// The test kit itself: what other tests rely on.
#include <future>
#include <signal.h>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/support/programs.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {
namespace {

TEST(Process, ReportsTheExitStatusAndBothStreams) {
  Process process("sh", {"-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(process.wait(), 3);
  EXPECT_EQ(process.output(), "out\n");
  EXPECT_EQ(process.errors(), "err\n");
}

TEST(Process, WaitsForALineAndEndsBySignal) {
  Process process("sh", {"-c", "echo ready on 1; exec sleep 100"});
  EXPECT_EQ(process.wait_for_line("ready"), "ready on 1");
  EXPECT_EQ(process.terminate(), 128 + SIGTERM);
  EXPECT_FALSE(process.running());
}

TEST(Process, SaysWhatAProgramPrintedThatDidNotComeUp) {
  Process process("sh", {"-c", "echo port taken >&2; exit 1"});
  try {
    process.wait_for_line("listening");
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("port taken"), std::string::npos);
  }
}

TEST(Process, RefusesAProgramThatIsNotThere) {
  EXPECT_THROW(Process("/nowhere/program", {}), std::runtime_error);
}

TEST(ScriptedOrigin, AnswersAndRecordsWhatItSaw) {
  ScriptedOrigin origin([](const SeenRequest& request) { return json_reply("\"" + request.body + "\""); });
  const Reply reply = request("POST", origin.url() + "/courses", {{"X-Name", "value"}}, "text");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "\"text\"");
  ASSERT_EQ(origin.calls(), 1u);
  EXPECT_EQ(origin.requests()[0].field("x-name"), "value");
  EXPECT_EQ(origin.requests()[0].kind, Kind::other);
}

TEST(ScriptedOrigin, TellsTheKindsOfRequestsApart) {
  ScriptedOrigin origin([](const SeenRequest&) { return json_reply("[]"); });
  Connection connection(origin.url());
  connection.get("/courses/jbuilder", {{"Accept", std::string(kManifestType)}});
  connection.get("/courses/manifest?page=2");
  connection.get("/courses/jbuilder?ids=1,2");
  connection.get("/courses/jbuilder?page=2");
  EXPECT_EQ(origin.calls(Kind::manifest), 2u);
  ASSERT_EQ(origin.calls(Kind::records), 1u);
  EXPECT_EQ(origin.requests(Kind::records)[0].ids(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(origin.calls(Kind::collection), 1u);
  EXPECT_EQ(origin.connections(), 1u);
}

TEST(ScriptedOrigin, SendsChunksThatTheClientJoins) {
  const std::string body(2'500, 'x');
  ScriptedOrigin origin([&](const SeenRequest&) {
    ScriptedReply reply = json_reply(body);
    reply.framing = ScriptedReply::Framing::chunked;
    return reply;
  });
  EXPECT_EQ(get(origin.url()).body, body);
}

TEST(ScriptedOrigin, CutsResetsAndLiesOnDemand) {
  ScriptedReply reply = json_reply("0123456789");
  ScriptedOrigin origin([&](const SeenRequest&) { return reply; });
  reply.cut_after = 30;
  EXPECT_FALSE(get(origin.url()).error.empty());
  reply.reset = true;
  EXPECT_FALSE(get(origin.url()).error.empty());
  reply = json_reply("0123456789");
  reply.declared_length = 5;
  EXPECT_EQ(get(origin.url()).body, "01234");
  reply.declared_length = 50;
  reply.close = true;
  EXPECT_EQ(get(origin.url()).error, "the body is not complete");
}

TEST(ScriptedOrigin, HoldsAnAnswerAtAGate) {
  const auto gate = std::make_shared<Gate>();
  ScriptedOrigin origin([&](const SeenRequest&) {
    ScriptedReply reply = json_reply("0123456789");
    reply.pause_at = gate;
    reply.pause_after = 20;
    return reply;
  });
  auto reply = std::async(std::launch::async, [&] { return get(origin.url()); });
  ASSERT_TRUE(gate->wait_for_waiting(1));
  EXPECT_EQ(origin.calls(), 1u);
  gate->open();
  EXPECT_EQ(reply.get().body, "0123456789");
}

TEST(ScriptedOrigin, RefusesConnectionsUntilItAcceptsAgain) {
  ScriptedOrigin origin([](const SeenRequest&) { return json_reply("1"); });
  ASSERT_TRUE(get(origin.url()).ok());
  origin.refuse();
  EXPECT_EQ(get(origin.url()).status, 0);
  origin.accept();
  EXPECT_TRUE(get(origin.url()).ok());
}

TEST(HttpRequest, SkipsInterimResponses) {
  ScriptedOrigin origin([](const SeenRequest&) {
    ScriptedReply reply = json_reply("1");
    reply.interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    return reply;
  });
  const Reply reply = get(origin.url());
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.interim, 1u);
  EXPECT_FALSE(reply.has("Link"));
}

TEST(SumMetric, AddsTheLinesWhoseLabelsMatch) {
  const std::string text =
      "# TYPE a counter\na{route=\"x\",tier=\"l1\"} 2\na{route=\"y\",tier=\"l1\"} "
      "3\na{route=\"y\",tier=\"l2\"} 4\nab 9\n";
  EXPECT_EQ(sum_metric(text, "a", {}), 9);
  EXPECT_EQ(sum_metric(text, "a", {"tier=\"l1\""}), 5);
  EXPECT_EQ(sum_metric(text, "a", {"tier=\"l1\"", "route=\"y\""}), 3);
  EXPECT_EQ(sum_metric(text, "ab", {}), 9);
}

}  // namespace
}  // namespace tessera::test
