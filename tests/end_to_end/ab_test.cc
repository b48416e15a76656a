// ApacheBench, as loadtest/demo runs it.
#include <atomic>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"
#include "tests/support/scripted_origin.h"

namespace tessera::test {
namespace {

// Runs `run_ab URL ARGUMENTS` of loadtest/lib.sh.
struct Ab {
  int status = 0;
  std::string output;
  std::string errors;

  Ab(const std::string& url, const std::string& arguments) {
    Process shell(
        "bash", {"-euo", "pipefail", "-c", "program=ab_test; source \"$0\"; run_ab " + url + " " + arguments,
                 TESSERA_LOADTEST_LIBRARY});
    status = shell.wait().value_or(-1);
    output = shell.output();
    errors = shell.errors();
  }
};

TEST(Ab, CountsNoFailureWithAndWithoutKeepAlive) {
  Stack stack;
  const std::string length = std::to_string(stack.origin.get("/courses/jbuilder").body.size());
  for (const std::string& url :
       {stack.origin.url("/courses/jbuilder"), stack.proxy.url("/courses/jbuilder")}) {
    for (const char* arguments : {"-n 15 -c 1", "-n 200 -c 10", "-k -n 200 -c 10"}) {
      const auto start = std::chrono::steady_clock::now();
      const Ab ab(url, arguments);
      EXPECT_EQ(ab.status, 0) << arguments << "\n" << ab.errors;
      EXPECT_TRUE(ab.output.starts_with(length + " ")) << ab.output;
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    }
  }
}

TEST(Ab, FailsWithAReasonWhenTheLengthVaries) {
  std::atomic<unsigned> number{0};
  ScriptedOrigin origin([&](const SeenRequest&) { return json_reply(std::string(10 + number++ % 3, 'x')); });
  const Ab ab(origin.url() + "/", "-n 15 -c 1");
  EXPECT_NE(ab.status, 0);
  EXPECT_NE(ab.errors.find("Failed requests"), std::string::npos) << ab.errors;
}

TEST(Ab, FailsWithAReasonWhenAnswersAreErrors) {
  ScriptedOrigin origin([](const SeenRequest&) {
    ScriptedReply reply = json_reply("{}");
    reply.status = 500;
    return reply;
  });
  const Ab ab(origin.url() + "/", "-n 15 -c 1");
  EXPECT_NE(ab.status, 0);
  EXPECT_NE(ab.errors.find("Non-2xx"), std::string::npos) << ab.errors;
}

}  // namespace
}  // namespace tessera::test
