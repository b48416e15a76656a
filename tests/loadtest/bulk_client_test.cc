#include "loadtest/bulk_client.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/scripted_origin.h"

namespace tessera::loadtest {
namespace {

using test::json_reply;
using test::ScriptedOrigin;
using test::SeenRequest;

TEST(BulkClient, CountsWholeResponsesAndTheirBytes) {
  const std::string body(700'000, 'x');
  ScriptedOrigin origin([&](const SeenRequest&) { return json_reply(body); });
  const BulkResult result = run_bulk({origin.url() + "/courses", 4, 0.2});
  EXPECT_GT(result.responses, 0u);
  EXPECT_EQ(result.errors, 0u);
  EXPECT_GE(result.bytes, result.responses * body.size());
  EXPECT_LE(result.responses, origin.calls());
  EXPECT_EQ(origin.requests()[0].path(), "/courses");
}

TEST(BulkClient, CountsOtherStatusesAsErrors) {
  ScriptedOrigin origin([](const SeenRequest&) {
    auto reply = json_reply("{}");
    reply.status = 503;
    return reply;
  });
  const BulkResult result = run_bulk({origin.url(), 1, 0.05});
  EXPECT_EQ(result.responses, 0u);
  EXPECT_GT(result.errors, 0u);
}

}  // namespace
}  // namespace tessera::loadtest
