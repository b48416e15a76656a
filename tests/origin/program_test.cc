// The program itself, over the wire.
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/http_request.h"
#include "tests/support/process.h"
#include "tests/support/programs.h"
#include "tests/support/temporary.h"

namespace tessera::test {
namespace {

TEST(RunningOrigin, ServesTheDefaultDataWithExactLengths) {
  const OriginProgram origin;
  const std::pair<const char*, std::size_t> lengths[] = {{"cache_crispies", 890'509},
                                                         {"jbuilder", 890'509},
                                                         {"blueprinter", 890'497},
                                                         {"active_model_serializer", 929'777},
                                                         {"fast_jsonapi", 1'258'072}};
  for (const auto& [name, length] : lengths) {
    const Reply reply = origin.get(std::string("/courses/") + name);
    EXPECT_TRUE(reply.ok()) << reply.error;
    EXPECT_EQ(reply.body.size(), length) << name;
    EXPECT_EQ(reply.field("Content-Length"), std::to_string(length)) << name;
    EXPECT_EQ(reply.field("Content-Type"), "application/json; charset=utf-8");
    const Reply head = request("HEAD", origin.url(std::string("/courses/") + name));
    EXPECT_EQ(head.field("Content-Length"), std::to_string(length)) << name;
  }
}

TEST(RunningOrigin, ShowsAWriteToEveryLaterRequestOnEveryThread) {
  const OriginProgram origin({"--courses", "3", "--threads", "4"});
  for (int i = 0; i < 40; ++i) {
    const std::string title = "title " + std::to_string(i);
    const Reply written = origin.change("PATCH", "/courses/2", R"({"title":")" + title + "\"}");
    ASSERT_EQ(written.status, 200);
    const Reply read = origin.get("/courses/jbuilder");
    ASSERT_NE(read.body.find("\"" + title + "\""), std::string::npos);
    ASSERT_EQ(read.field("Tessera-Revision"), written.field("Tessera-Revision"));
  }
}

TEST(RunningOrigin, AnswersOneStateWhileOthersWrite) {
  const OriginProgram origin({"--courses", "6", "--slides", "1", "--threads", "3"});
  std::thread writer([&] {
    Connection connection(origin.url());
    for (int i = 0; i < 150; ++i) {
      std::string body;
      for (int id = 1; id <= 6; ++id) {
        body += (body.empty() ? "[" : ",") +
                (R"({"id":")" + std::to_string(id) + R"(","minutes":)" + std::to_string(i) + "}");
      }
      Call call;
      call.method = "PATCH";
      call.target = "/courses";
      call.fields = {{"Content-Type", "application/json"}};
      call.body = body + "]";
      EXPECT_EQ(connection.send(call).status, 200);
    }
  });
  // All courses of a state have the same minutes, once they have been written.
  Connection connection(origin.url());
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    const Reply reply = connection.get("/courses/jbuilder");
    ASSERT_EQ(reply.status, 200);
    if (reply.field("Tessera-Revision").ends_with("-1")) continue;
    ++seen;
    const std::size_t at = reply.body.find("\"minutes\":");
    const std::string first = reply.body.substr(at, reply.body.find(',', at) - at);
    std::size_t count = 0;
    for (std::size_t next = at; next != std::string::npos; next = reply.body.find(first + ",", next + 1))
      ++count;
    ASSERT_EQ(count, 6U) << reply.body;
  }
  writer.join();
  EXPECT_GT(seen, 0);
}

TEST(RunningOrigin, RefusesABodyThatIsTooLarge) {
  const OriginProgram origin({"--courses", "1"});
  const std::string large = R"({"title":")" + std::string(1024 * 1024, 'x') + "\"}";
  const Reply reply = origin.change("PATCH", "/courses/1", large);
  EXPECT_EQ(reply.status, 413) << reply.error;
}

TEST(RunningOrigin, KeepsItsDataInTheFileThatItIsGiven) {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments = {"--db", directory.file("courses.db"), "--courses", "2"};
  std::string body;
  {
    OriginProgram origin(arguments);
    ASSERT_EQ(origin.change("PATCH", "/courses/1", R"({"title":"kept"})").status, 200);
    body = origin.get("/courses/jbuilder").body;
    EXPECT_EQ(origin.process().terminate(), 0);
  }
  OriginProgram again(arguments);
  EXPECT_EQ(again.get("/courses/jbuilder").body, body);
  EXPECT_NE(again.process().errors().find("holds its data already"), std::string::npos);
}

TEST(RunningOrigin, EndsWellAndLeavesNoTemporaryFile) {
  const TemporaryDirectory directory;
  Process process(origin_program(), {"--listen", "127.0.0.1:0", "--courses", "3"},
                  {{"TMPDIR", directory.path().string()}});
  process.wait_for_line("listening on http://127.0.0.1:");
  EXPECT_FALSE(std::filesystem::is_empty(directory.path()));
  EXPECT_EQ(process.terminate(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(RunningOrigin, SaysInOneSentenceWhyItCannotStart) {
  const TemporaryDirectory directory;
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--db", directory.file("missing/a.db")}, "cannot open the database"},
      {{"--listen", "192.0.2.1:1"}, "cannot listen on 192.0.2.1:1"},
      {{"--escape", "xml"}, "--escape"},
  };
  for (const auto& [arguments, sentence] : cases) {
    Process process(origin_program(), arguments, {{"TMPDIR", directory.path().string()}});
    EXPECT_EQ(process.wait(), 1);
    EXPECT_TRUE(process.errors().starts_with("tessera-origin: ")) << process.errors();
    EXPECT_NE(process.errors().find(sentence), std::string::npos) << process.errors();
    EXPECT_EQ(process.output(), "");
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace tessera::test
